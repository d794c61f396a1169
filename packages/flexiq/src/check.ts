/**
 * Options that users write, checked at the edge: each error names the option, what would be right, and what was given.
 * DESIGN 12.
 */
import { inspect } from "node:util";
import { FlexiqError } from "./errors.ts";

export function invalidOption(option: string, expected: string, got: unknown): FlexiqError {
  return new FlexiqError("invalid-option", `${option}: expected ${expected}, got ${inspect(got, { depth: 0 })}`);
}

/** @returns the value, or `otherwise` when it is `undefined` */
export function wholeNumber<Otherwise>(
  option: string,
  value: unknown,
  { min, otherwise }: { readonly min: number; readonly otherwise: Otherwise },
): number | Otherwise {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= min) return value;
  const expected = min === Number.MIN_SAFE_INTEGER ? "a whole number" : `a whole number of at least ${min}`;
  throw invalidOption(option, expected, value);
}

export function text<Otherwise>(option: string, value: unknown, otherwise: Otherwise): string | Otherwise {
  if (value === undefined) return otherwise;
  if (typeof value === "string" && value !== "") return value;
  throw invalidOption(option, "a non-empty string", value);
}

export function oneOf<const Choice extends string, Otherwise>(
  option: string,
  value: unknown,
  { choices, otherwise }: { readonly choices: readonly Choice[]; readonly otherwise: Otherwise },
): Choice | Otherwise {
  if (value === undefined) return otherwise;
  const choice = choices.find((each) => each === value);
  if (choice === undefined) throw invalidOption(option, choices.map((each) => `"${each}"`).join(" or "), value);
  return choice;
}

export function flag(option: string, value: unknown, otherwise: boolean): boolean {
  if (value === undefined) return otherwise;
  if (typeof value === "boolean") return value;
  throw invalidOption(option, "true or false", value);
}

/** Seconds, fractions allowed; `Infinity` means never. */
export function secondsOrNever(option: string, value: unknown, otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value === "number" && value >= 0) return value;
  throw invalidOption(option, "seconds of at least 0, or Infinity", value);
}

/** A misspelt option would be ignored without a word where no compiler looks. */
export function onlyKnown(what: string, options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) throw invalidOption(what, "an object", options);
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw new FlexiqError("invalid-option", `${what}: there is no option "${key}"; there are ${known.join(", ")}`);
    }
  }
}
