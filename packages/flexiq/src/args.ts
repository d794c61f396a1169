/**
 * Arguments as they are stored: JSON. What JSON would silently change or drop is refused at the enqueue, where the caller
 * still sees it, rather than met by the handler a day later. DESIGN 9.4.
 *
 * Allowed: null, booleans, finite numbers, strings, arrays, plain objects (a key whose value is `undefined` is as good as
 * absent), and whatever has a `toJSON` (a `Date` arrives as its ISO string). Refused: `undefined` in an array, functions,
 * symbols, bigints, NaN and infinities, cycles, and instances of classes (Map, Set, Error ...), which would arrive as `{}`.
 */
import { invalidOption } from "./check.ts";
import { FlexiqError } from "./errors.ts";
import { isTooBig, TOO_BIG } from "./row-limit.ts";

/** Deeper than anybody nests data, and far from what the stack holds, whoever calls. */
const MOST_LEVELS = 500;

function refused(path: string, what: string): FlexiqError {
  return new FlexiqError("not-serialisable", `${path} is ${what}, which JSON cannot hold: pass plain data`);
}

/** Plain in any realm: its prototype is nothing, or the end of a chain. */
const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
};

function check(value: unknown, path: string, above: readonly object[]): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (Number.isFinite(value)) return;
      throw refused(path, String(value));
    case "object":
      if (value !== null) checkObject(value, path, above);
      return;
    case "undefined":
      throw refused(path, "undefined");
    case "bigint":
    case "symbol":
    case "function":
      throw refused(path, `a ${typeof value}`);
  }
}

function checkObject(value: object, path: string, above: readonly object[]): void {
  if (above.includes(value)) throw refused(path, "a reference back to what it is part of");
  if (above.length >= MOST_LEVELS) {
    const [argument = "args"] = /^args\[\d+\]/.exec(path) ?? [];
    const why = `is nested more than ${MOST_LEVELS} deep: pass flatter data, or text`;
    throw new FlexiqError("not-serialisable", `${argument} ${why}`);
  }
  if ("toJSON" in value && typeof value.toJSON === "function") return;
  const within = [...above, value];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) check(value[index], `${path}[${index}]`, within);
    return;
  }
  if (!isPlain(value)) throw refused(path, `an instance of ${value.constructor.name}`);
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) check(item, `${path}.${key}`, within);
  }
}

/** Most arguments are a few of these, for which a look is enough. */
const isSimple = (value: unknown): boolean =>
  typeof value === "string" ||
  value === null ||
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value));

/**
 * A JSON array. `undefined` at the end is cut off: leaving an argument out means the same to a function.
 *
 * @throws FlexiqError not-serialisable, naming the place; too-big; invalid-option for what is no list
 */
export function argsJson(args: readonly unknown[]): string {
  if (!Array.isArray(args)) throw invalidOption("args", "a list of arguments", args);
  let length = args.length;
  while (length > 0 && args[length - 1] === undefined) length -= 1;
  const given = length === args.length ? args : args.slice(0, length);
  if (!given.every(isSimple)) check(given, "args", []);
  const json = written(given);
  if (isTooBig(json)) throw new FlexiqError("too-big", `args are ${TOO_BIG}`);
  return json;
}

function written(args: readonly unknown[]): string {
  try {
    return JSON.stringify(args);
  } catch (cause) {
    // Of what `toJSON` gives, or for a text that is longer than JavaScript holds.
    const why = `args cannot be written as JSON (${messageOf(cause)}): pass plain data`;
    throw new FlexiqError("not-serialisable", why, { cause });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
