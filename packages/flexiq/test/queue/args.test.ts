/** Arguments arrive as they were given, or are refused. DESIGN 9.4. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argsJson } from "../../src/args.ts";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let i = 0; i < levels; i += 1) value = i % 2 === 0 ? [value] : { value };
  return value;
};

class Point {
  readonly x = 1;
}

describe("DESIGN 9.4: arguments", () => {
  it("of plain data survive the trip", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (args) => {
        expect(JSON.parse(argsJson(args))).toEqual(JSON.parse(JSON.stringify(args)));
      }),
    );
  });

  it("may leave out what is undefined at the end or as the value of a key", () => {
    expect(argsJson(["a", undefined, undefined])).toBe('["a"]');
    expect(argsJson([{ a: 1, b: undefined }])).toBe('[{"a":1}]');
    expect(argsJson([])).toBe("[]");
  });

  it("with a toJSON are what that says", () => {
    expect(argsJson([new Date(0)])).toBe('["1970-01-01T00:00:00.000Z"]');
  });

  it("may hold the same object twice", () => {
    const shared = { a: 1 };
    expect(argsJson([shared, { shared }])).toBe('[{"a":1},{"shared":{"a":1}}]');
  });

  it("may be nested hundreds of levels deep", () => {
    const args = [nested(498)];
    expect(JSON.parse(argsJson(args))).toEqual(args);
  });

  it("of more bytes than the file takes are refused, however few characters they are", () => {
    const characters = (each: string): string[] => Array.from({ length: 1_300 }, () => each.repeat(100_000));
    expect(() => argsJson(characters("é"))).toThrow(expect.objectContaining({ code: "too-big" }));
    expect(argsJson(characters("e"))).toHaveLength(130_003_901);
  });

  const cycle: { self?: unknown } = {};
  cycle.self = cycle;

  it.each<[string, readonly unknown[], string]>([
    ["undefined before another argument", [undefined, 1], "args[0]"],
    ["undefined in an array", [[1, undefined]], "args[0][1]"],
    ["a hole in an array", [[1, , 2]], "args[0][1]"],
    ["a function", [{ callback: () => 1 }], "args[0].callback"],
    ["a symbol", [Symbol("s")], "args[0]"],
    ["a bigint", [{ deep: [10n] }], "args[0].deep[0]"],
    ["NaN", [Number.NaN], "NaN"],
    ["an infinity", [[Number.NEGATIVE_INFINITY]], "args[0][0]"],
    ["a cycle", [cycle], "args[0].self"],
    ["a Map", [new Map([[1, 2]])], "Map"],
    ["an Error", [new Error("x")], "Error"],
    ["an instance of a class", [new Point()], "Point"],
    ["five hundred levels and more", [nested(500)], "more than 500 deep"],
    ["levels beyond the stack", [nested(100_000)], "more than 500 deep"],
    ["a toJSON that gives what JSON cannot hold", [{ toJSON: () => 1n }], "BigInt"],
  ])("of %s are refused with the place", (_, args, place) => {
    expect(() => argsJson(args)).toThrow(
      expect.objectContaining({ code: "not-serialisable", message: expect.stringContaining(place) as string }),
    );
  });
});
