import { describe, expect, it } from "vitest";
import { codeOf, errorText } from "../../src/model/errors.ts";

const around: { self?: unknown } = {};
around.self = around;

describe("DESIGN 6.1: what an error says", () => {
  it.each([
    [
      "its message and those of its causes",
      new Error("no answer", { cause: new Error("refused") }),
      "no answer: refused",
    ],
    ["its code where it has no message", Object.assign(new Error(""), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    ["its name where it has neither", new TypeError(""), "TypeError"],
    ["a text that was thrown", "too late", "too late"],
    ["what an object that was thrown holds", { code: 17, why: "late" }, '{"code":17,"why":"late"}'],
    ["what kind of object it is where it holds itself", around, "[object Object]"],
    ["null", null, "null"],
    ["nothing", undefined, "undefined"],
  ])("%s", (_, error, text) => {
    expect(errorText(error)).toBe(text);
  });

  it("has a code only where that is a text", () => {
    expect([new Error("x"), { code: 17 }, { code: "E" }, null].map(codeOf)).toEqual(["", "", "E", ""]);
  });
});
