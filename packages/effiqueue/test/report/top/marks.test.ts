import { describe, expect, it } from "vitest";
import { type Key, meaningOf } from "../../../src/report/top/keys.ts";
import { bar, sparkline } from "../../../src/report/top/marks.ts";

const UNICODE = { unicode: true };
const ASCII = { unicode: false };

describe("DESIGN 6.8: marks", () => {
  it.each([
    [0, ""],
    [0.001, "▏"],
    [0.5, "█████"],
    [0.55, "█████▌"],
    [1, "██████████"],
    [7, "██████████"],
  ])("a share of %d is %s", (share, marks) => {
    expect(bar(share, 10, "solid", UNICODE)).toBe(marks);
  });

  it("tell what they are by their shape", () => {
    expect([bar(0.3, 10, "medium", UNICODE), bar(0.3, 10, "light", UNICODE)]).toEqual(["▒▒▒", "░░░"]);
    const ascii = (["solid", "medium", "light"] as const).map((fill) => bar(0.3, 10, fill, ASCII));
    expect(ascii).toEqual(["###", "+++", "---"]);
  });

  it.each([
    [[0, 50, 100], "▁▅█", "from zero to the highest"],
    [[100, 100], "██", "a level that stands is no nothing"],
    [[0.001, 100], "▂█", "what is there is more than nothing"],
    [[null, 3], " █", "unknown is a gap"],
    [[3, Number.POSITIVE_INFINITY], "█!", "never"],
    [[Number.POSITIVE_INFINITY, 0], "!▁", "never, then empty"],
    [[1, 2, 3, 4, 5], "▅▇█", "the newest"],
    [[], "", "nothing yet"],
  ])("the past %j is %s: %s", (values, marks) => {
    expect(sparkline(values, 3, UNICODE)).toBe(marks);
  });
});

describe("DESIGN 6.8: keys", () => {
  it.each<[Key, ReturnType<typeof meaningOf>]>([
    [{ name: "q", sequence: "q" }, "quit"],
    [{ name: "c", ctrl: true }, "quit"],
    [{ name: "z", ctrl: true }, "suspend"],
    [{ name: "l", ctrl: true }, "redraw"],
    [{ name: "space", sequence: " " }, "pause"],
    [{ name: "p", sequence: "p" }, "pause"],
    [{ sequence: "?" }, "help"],
    [{ name: "tab", sequence: "\t" }, "next"],
    [{ name: "tab", shift: true }, "previous"],
    [{ name: "right" }, "next"],
    [{ name: "left" }, "previous"],
    [{ name: "3", sequence: "3" }, { program: 3 }],
    [{ name: "x", sequence: "x" }, undefined],
    [{ name: "constructor", sequence: "" }, undefined],
    [{}, undefined],
  ])("%j", (key, meaning) => {
    expect(meaningOf(key)).toEqual(meaning);
  });
});
