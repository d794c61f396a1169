import fc from "fast-check";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parseIni } from "../../src/config/ini.ts";
import { tomlLines } from "../../src/config/toml-lines.ts";

describe("DESIGN 5.1: the line of every key of a TOML file", () => {
  it("is found past strings, comments, lists and tables of every kind", () => {
    const source = `# max = 1
a = "x # y = 1 [z]"   # b = 2
'quo.ted' = 'it''
`.replace("''\n", "'\n");
    expect(Object.fromEntries(tomlLines(source))).toEqual({ a: 2, "quo.ted": 3 });

    const whole = `one = """
two = "not a key"
\\""" still # inside
[three]"""
four = [
  1, # ]
  "]", { five = 5 }
]
six.seven = { eight = [ "}" ], nine = '''
ten = 1''' }
"el\\"even" = 1979-05-27T07:32:00Z
[twelve . "thir.teen"]
one = 1

[[program]]
one = 1
[program.env]
A = ""
[[program]]   # second
one = 2
env.B = ''
[[program.list]]
[[program.list]]
one = 3
`;
    parse(whole);
    expect(Object.fromEntries(tomlLines(whole))).toEqual({
      one: 1,
      four: 5,
      six: 9,
      "six.seven": 9,
      'el\\"even': 11,
      twelve: 12,
      "twelve.thir.teen": 12,
      "twelve.thir.teen.one": 13,
      program: 15,
      "program[0]": 15,
      "program[0].one": 16,
      "program[0].env": 17,
      "program[0].env.A": 18,
      "program[1]": 19,
      "program[1].one": 20,
      "program[1].env": 21,
      "program[1].env.B": 21,
      "program[1].list": 22,
      "program[1].list[0]": 22,
      "program[1].list[1]": 23,
      "program[1].list[1].one": 24,
    });
  });

  it("is right for any order of values that span lines", () => {
    const value = fc.constantFrom(
      "1",
      '"""\nx = 1\n"""',
      "'''\n[y]\n'''",
      "[\n 1,\n 2 ]",
      '"\\""',
      "{ a = [\n] }",
      "true # z = 1",
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), (values) => {
        const expected: Record<string, number> = {};
        let source = "";
        values.forEach((each, i) => {
          expected[`k${i}`] = source.split("\n").length;
          source += `k${i} = ${each}\n`;
        });
        parse(source);
        expect(Object.fromEntries(tomlLines(source))).toEqual(expected);
      }),
    );
  });

  it("ends on text that is no TOML at all", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(..."a=[]{}\"'#\n\\. ".split("")) }),
        (text) => void tomlLines(text),
      ),
    );
  });
});

describe("DESIGN 5.3: the lines of a Supervisor file", () => {
  it("keeps sections, keys and values with their lines", () => {
    const { sections, faults } = parseIni("\n[a]\nx=1\n\n; c\n[b] trailing\nY : 2 ; c\n  3\n[a]\nz=\n");
    expect(faults).toEqual([]);
    expect(sections).toEqual([
      {
        name: "a",
        line: 2,
        entries: [
          { key: "x", value: "1", line: 3 },
          { key: "z", value: "", line: 10 },
        ],
      },
      { name: "b", line: 6, entries: [{ key: "y", value: "2\n3", line: 7 }] },
    ]);
  });

  it("does not take the first key of a section for more of the value before", () => {
    const { sections } = parseIni("[a]\nx=1\n[b]\n   y=2\n   z=3\n");
    expect(sections[1]?.entries.map(({ key, value }) => [key, value])).toEqual([
      ["y", "2"],
      ["z", "3"],
    ]);
  });
});
