import { describe, expect, it } from "vitest";
import { visible } from "../../src/model/visible.ts";

describe("DESIGN 6.2: text from elsewhere on a terminal", () => {
  it.each([
    ["orders", "orders", "is left alone"],
    ["Grüße 发送 🐇", "Grüße 发送 🐇", "whatever the language"],
    ["a\nb", "a\\nb", "begins no line"],
    ["\x1b[2J\x9b2J\r", "\\x1b[2J\\x9b2J\\x0d", "commands nothing"],
    ["evil\u202egnp.exe\u2069", "evil\\u{202e}gnp.exe\\u{2069}", "turns no direction"],
    ["or\u200bders\u{e0041}\ufeff", "or\\u{200b}ders\\u{e0041}\\u{feff}", "hides nothing"],
    ["a\u2028b", "a\\u{2028}b", "begins no line by Unicode either"],
    ["\ud83d", "\\u{d83d}", "is whole"],
  ])("%j is %j: it %s", (text, shown) => {
    expect(visible(text)).toBe(shown);
  });
});
