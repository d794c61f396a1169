import { describe, expect, it } from "vitest";
import { splitCommand } from "../../src/config/argv.ts";
import { parseEnvironment } from "../../src/config/environment.ts";
import { expandPercent } from "../../src/config/percent.ts";

describe("DESIGN 5.3: a command line is split as Python's shlex splits it", () => {
  it.each<[line: string, argv: string[], note: string]>([
    ["php bin/console x", ["php", "bin/console", "x"], "words"],
    ["  x\t y\r\nz  ", ["x", "y", "z"], "any white space"],
    ["a 'b c' d", ["a", "b c", "d"], "single quotes"],
    ['a "b \\"c\\" d"', ["a", 'b "c" d'], "an escaped quote in double quotes"],
    ['a "b \\c"', ["a", "b \\c"], "a backslash before anything else stays"],
    ['a "x\\\\y"', ["a", "x\\y"], "an escaped backslash in double quotes"],
    ["a 'b\\'", ["a", "b\\"], "in single quotes a backslash is itself"],
    ["a\\ b c", ["a b", "c"], "an escaped space"],
    ["a '' b", ["a", "", "b"], "an empty argument"],
    ['a"b"c', ["abc"], "quotes inside a word"],
    ["a 'it'\\''s'", ["a", "it's"], "the shell's way to quote a quote"],
    ["a # b", ["a", "#", "b"], "a hash is no comment here"],
    ["a;b && c | $D *", ["a;b", "&&", "c", "|", "$D", "*"], "nothing is special without a shell"],
    ["", [], "nothing"],
  ])("%j", (line, argv) => {
    expect(splitCommand(line)).toEqual(argv);
  });

  it.each([
    ["a 'b", "never closed"],
    ['a "b', "never closed"],
    ["a \\", "nothing behind it"],
  ])("refuses %j", (line, why) => {
    expect(() => splitCommand(line)).toThrow(why);
  });
});

describe("DESIGN 5.3: Supervisor's environment", () => {
  it.each<[list: string, variables: Record<string, string>]>([
    ["A=1,B=2", { A: "1", B: "2" }],
    ["A=1,\nB=2,", { A: "1", B: "2" }],
    [`A="x, y",B='z'`, { A: "x, y", B: "z" }],
    ['A=""', { A: "" }],
    ["A=a/b.c+d-e(f):g_h", { A: "a/b.c+d-e(f):g_h" }],
    ['A="it\'s # = %"', { A: "it's # = %" }],
    ["A=1 # rest\n,B=2", { A: "1", B: "2" }],
    ["", {}],
  ])("%j", (list, variables) => {
    expect(parseEnvironment(list)).toEqual(variables);
  });

  it.each(["A", "A=", "=1", "A=b@c", "A=1 B=2", 'A="a"b', "A=x=y,B=1", 'A="open'])("refuses %j", (list) => {
    expect(() => parseEnvironment(list)).toThrow();
  });
});

describe("DESIGN 5.3: expressions", () => {
  const names = { values: { process_num: 7, process_name: "w" }, env: { X: "%(process_num)d", NUM: "3" } };

  it.each([
    ["%(process_num)02d", "07"],
    ["%(process_num)d", "7"],
    ["%(process_num)s", "7"],
    ["%(process_num)5d", "    7"],
    ["%(process_num)-3d|", "7  |"],
    ["%(process_name)s_%(process_num)03i", "w_007"],
    ["%(ENV_X)s", "%(process_num)d"],
  ])("%s is %j under either rule", (text, value) => {
    expect(expandPercent(text, "strict", names)).toBe(value);
    expect(expandPercent(text, "lenient", names)).toBe(value);
  });

  it("reads other percent signs by Supervisor's rule, or leaves them alone", () => {
    expect(expandPercent("50%% %%(process_num)d", "strict", names)).toBe("50% %(process_num)d");
    expect(expandPercent("50%% %2F +%s %%(process_num)d", "lenient", names)).toBe("50%% %2F +%s %(process_num)d");
    expect(() => expandPercent("+%s", "strict", names)).toThrow("a % that means itself is written %%");
  });

  it.each([
    ["%(proces_num)d", "did you mean %(process_num)s?"],
    ["%(zebra)s", "the known ones are process_num, process_name"],
    ["%(process_name)d", "has to end in s"],
    ["%(process_num)x", "has to end in d or s"],
    ["%(process_num)", "has to end in d or s"],
    ["%(ENV_NOPE)s", "the environment variable NOPE is not set; export it where effiqueue is started"],
    ["%(ENV_NUM)d", "has to end in s"],
  ])("refuses %s", (text, why) => {
    expect(() => expandPercent(text, "strict", names)).toThrow(why);
    expect(() => expandPercent(text, "lenient", names)).toThrow(why);
  });

  it("knows no environment where the format has none", () => {
    expect(() => expandPercent("%(ENV_HOME)s", "lenient", { values: {} })).toThrow("is no known expression");
  });
});
