/**
 * Reads the values of flags and arguments; what is wrong with one is said with the flag's name by commander. DESIGN 12.1.
 */
import { InvalidArgumentError } from "commander";
import { JOB_STATES, type JobState } from "../lifecycle.ts";
import { UsageError } from "./errors.ts";

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `250ms`, `10s`, `2m`, `1h`, `7d`; a bare number is seconds. In milliseconds. */
export function durationMs(text: string): number {
  const [, digits, unit = "s"] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError("Expected a duration such as 250ms, 10s, 2m, 1h or 7d; a bare number is seconds.");
  return Math.round(Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS]);
}

export function wholeNumber(min: number): (text: string) => number {
  return (text) => {
    const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value) || value < min)
      throw new InvalidArgumentError(
        min === Number.MIN_SAFE_INTEGER ? "Expected a whole number." : `Expected a whole number of at least ${min}.`,
      );
    return value;
  };
}

export const jobId = wholeNumber(1);

export const jobIds = (text: string, before: readonly number[] = []): number[] => [...before, jobId(text)];

export const anyState = (text: string): JobState => {
  const state = JOB_STATES.find((each) => each === text);
  if (state === undefined) throw new InvalidArgumentError(`Expected one of ${JOB_STATES.join(", ")}.`);
  return state;
};

export function names(text: string): string[] {
  const list = text.split(",").map((name) => name.trim());
  if (list.includes("")) throw new InvalidArgumentError("Expected names separated by commas.");
  return list;
}

/**
 * JSON where it is JSON, else the text itself: `3` is a number, `a.png` and `"3"` are strings.
 *
 * @throws UsageError a number in it would be another one here
 */
export function jsonOrText(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  const lost = numbersIn(text).find(isLost);
  if (lost === undefined) return value;
  throw new UsageError(`${lost} is a number of which JavaScript cannot hold every digit: quote it, as in '"${lost}"'`);
}

const numbersIn = (json: string): readonly string[] =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? [];

/** Fractions are rounded everywhere; an id or an amount in cents must not be. */
const isLost = (number: string): boolean =>
  !Number.isFinite(Number(number)) || (/^-?\d+$/.test(number) && BigInt(number) !== BigInt(Number(number)));
