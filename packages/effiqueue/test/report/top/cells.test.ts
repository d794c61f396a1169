import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, padded, widthOf, wrap } from "../../../src/report/top/cells.ts";

describe("DESIGN 6.8: the cells that a text takes", () => {
  it.each([
    ["orders", 6],
    ["", 0],
    ["发送", 4],
    ["Grüße", 5],
    ["e\u0301", 1],
    ["🐇", 2],
    ["ﾊﾝ", 2],
    ["ハン", 4],
    ["각".normalize("NFD"), 2],
    ["█▏▁…→", 5],
  ])("%s takes %d", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  it.each([
    ["orders", 6, "orders"],
    ["orders", 5, "orde…"],
    ["发送邮件", 8, "发送邮件"],
    ["发送邮件", 7, "发送邮…"],
    ["发送邮件", 6, "发送…"],
    ["e\u0301e\u0301e\u0301", 2, "e\u0301…"],
    ["orders", 1, "…"],
    ["orders", 0, ""],
  ])("%s cut to %d is %s", (text, width, cut) => {
    expect(clip(text, width, "…")).toBe(cut);
  });

  it("are never more than there is room for, however it is cut, wrapped or padded", () => {
    const room = fc.integer({ min: 2, max: 40 });
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 80 }), room, (text, width) => {
        expect(widthOf(clip(text, width, "…"))).toBeLessThanOrEqual(width);
        for (const line of wrap(text, width)) expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(widthOf(padded(clip(text, width, "…"), width))).toBe(width);
      }),
    );
  });

  it("loses no word when it wraps", () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }), (words) => {
        expect(wrap(words.join(" "), 12).join(" ")).toBe(words.join(" "));
      }),
    );
  });
});
