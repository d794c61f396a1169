import { describe, expect, it } from "vitest";
import { grouped } from "../../../src/report/top/words.ts";

describe("DESIGN 6.8: figures of the screen", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1_200, "1,200"],
    [1_234_567, "1,234,567"],
    [4.67, "4.67"],
    [0.0929, "0.0929"],
    [0.00012345, "0.000123"],
    [null, "unknown"],
  ])("%s is shown as %s: whole numbers in groups of three, digits behind the point as they are", (value, text) => {
    expect(grouped(value)).toBe(text);
  });
});
