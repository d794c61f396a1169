import fc from "fast-check";
import { stringify } from "smol-toml";
import { describe, expect, it } from "vitest";
import { readSupervisor } from "../../src/config/supervisor.ts";
import { NOT_READ, SPECIAL, STANDS_FOR } from "../../src/config/supervisor-keys.ts";
import { readToml } from "../../src/config/toml.ts";
import { validate } from "../../src/config/validate.ts";
import { KEY_NAMES } from "../../src/model/keys.ts";
import { problemsOf } from "./files.ts";

const env = { X: "1" };
const awkward = [
  "__proto__",
  "constructor",
  "toString",
  "a.b",
  "%(ENV_X)s",
  "${X}",
  "${constructor}",
  "%(toString)s",
  "%",
  "'",
  "\\",
];

const text = fc.oneof(fc.constantFrom(...awkward, "1", "10s", "1GB", "true", "amqp://u:p@h", "A=1,B=2"), fc.string());
const keyOr = (known: readonly string[]) => fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, text);

describe("DESIGN 5.1: bad input gets a message, whatever it is", () => {
  it("in TOML", () => {
    const value = fc.oneof(
      text,
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.array(fc.nat(300)),
      fc.dictionary(text, text),
    );
    const table = fc.dictionary(keyOr(KEY_NAMES), value, { maxKeys: 12 });
    fc.assert(
      fc.property(table, fc.array(table, { maxLength: 3 }), (shared, programs) => {
        const source = stringify({ ...shared, ...(programs.length > 0 && { program: programs }) });
        for (const problem of problemsOf(() => validate("f.toml", readToml("f.toml", source), { env }))) {
          expect(problem).toMatch(/^f\.toml(:\d+)?: ./);
        }
      }),
    );
  });

  it("in a Supervisor file", () => {
    const key = keyOr([...KEY_NAMES, ...Object.keys(STANDS_FOR), ...Object.keys(NOT_READ), ...SPECIAL]);
    const section = fc.constantFrom(
      "[program:a]",
      "[program:b]",
      "[effiqueue]",
      "[supervisord]",
      "[constructor]",
      "[x",
    );
    const line = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(key, text).map(([name, value]) => `${name}=${value}`) },
      { weight: 2, arbitrary: section },
      { weight: 1, arbitrary: text },
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
        const source = ["[program:a]", ...lines].join("\n");
        const place = { here: "/here", hostname: "host", env };
        for (const problem of problemsOf(() => validate("f.conf", readSupervisor("f.conf", source, place), { env }))) {
          expect(problem).toMatch(/^f\.conf(:\d+)?: ./);
          expect(problem).not.toContain("native code");
        }
      }),
    );
  });
});
