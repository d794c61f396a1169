/**
 * What a configured value can be: how it is recognised, and in which words its absence is complained about. One object per
 * kind, so that a new kind of value touches no switch. DESIGN 5.1. Pure.
 */
import { MAX_DURATION_SEC, parseDuration, parseSize } from "./quantities.ts";
import { isRecord } from "./record.ts";

export interface Kind<T> {
  /** Completes the sentence "expected ...". */
  readonly expected: string;
  /** The value in the unit the program computes with; `undefined` when it is none of this kind. */
  readonly read: (value: unknown) => T | undefined;
  /** What a file that knows nothing but text (Supervisor) means by it. Without it the text is the value. */
  readonly fromText?: (text: string) => unknown;
}

/** Text that means itself unless it is a plain decimal number. */
const numberFromText = (text: string): unknown => (/^[-+]?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export const text: Kind<string> = {
  expected: "some text",
  read: (value) => (typeof value === "string" && value.trim() !== "" && !hasNul(value) ? value : undefined),
};

/** It ends a text for the system, which refuses to start anything by such a one. */
const hasNul = (value: string): boolean => value.includes("\0");

export const path: Kind<string> = { ...text, expected: "a path" };

export const choice = <const T extends string>(...words: readonly T[]): Kind<T> => ({
  expected: words.length === 1 ? `"${words[0] ?? ""}"` : `one of ${words.map((word) => `"${word}"`).join(", ")}`,
  read: (value) => words.find((word) => word === value),
});

/** As Supervisor spells them, in any case. */
const SWITCH_WORDS = new Map([
  ...["yes", "true", "on", "1"].map((word) => [word, true] as const),
  ...["no", "false", "off", "0"].map((word) => [word, false] as const),
]);

export const onOff: Kind<boolean> = {
  expected: "true or false",
  read: (value) => (typeof value === "boolean" ? value : undefined),
  fromText: (word) => SWITCH_WORDS.get(word.toLowerCase()) ?? word,
};

export const whole = (min: number): Kind<number> => ({
  expected: `a whole number >= ${min}`,
  read: (value) => (isNumber(value) && Number.isSafeInteger(value) && value >= min ? value : undefined),
  fromText: numberFromText,
});

export const above = (limit: number, max = Number.POSITIVE_INFINITY): Kind<number> => ({
  expected: max === Number.POSITIVE_INFINITY ? `a number > ${limit}` : `a number > ${limit} and <= ${max}`,
  read: (value) => (isNumber(value) && value > limit && value <= max ? value : undefined),
  fromText: numberFromText,
});

export const between = (min: number, max: number): Kind<number> => ({
  expected: `a number >= ${min} and <= ${max}`,
  read: (value) => (isNumber(value) && value >= min && value <= max ? value : undefined),
  fromText: numberFromText,
});

const LONGEST = `at most ${MAX_DURATION_SEC}s`;

/** Read as seconds. */
export const duration: Kind<number> = {
  expected: `a duration such as 250ms, 10s, 2m or 1h (a bare number is seconds), ${LONGEST}`,
  read: parseDuration,
  fromText: numberFromText,
};

/** Read as seconds, > 0. */
export const someTime: Kind<number> = {
  expected: `a duration > 0 such as 250ms, 10s, 2m or 1h (a bare number is seconds), ${LONGEST}`,
  read: (value) => parseDuration(value) || undefined,
  fromText: numberFromText,
};

/** Read as bytes. */
export const size: Kind<number> = {
  expected: "a size such as 512MB, 12GB or 1.5GiB (a bare number is bytes)",
  read: parseSize,
  fromText: numberFromText,
};

/** Read as bytes, > 0. */
export const someBytes: Kind<number> = {
  expected: "a size > 0 such as 512MB, 12GB or 1.5GiB (a bare number is bytes)",
  read: (value) => parseSize(value) || undefined,
  fromText: numberFromText,
};

export const integer: Kind<number> = {
  expected: "a whole number",
  read: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
  fromText: numberFromText,
};

export const step: Kind<number | "auto"> = {
  expected: '"auto" or a whole number >= 1',
  read: (value) => (value === "auto" ? "auto" : whole(1).read(value)),
  fromText: numberFromText,
};

/** `0, 2` as Supervisor writes lists, or as TOML does, which is what messages show. */
const itemsOf = (list: string): string[] =>
  list
    .replace(/^\[(.*)\]$/, "$1")
    .split(",")
    .map((item) => item.trim().replace(/^"(.*)"$/, "$1"));

export const exitCodes: Kind<readonly number[]> = {
  expected: "a list of exit codes from 0 to 255, such as [0, 2]",
  read: (value) => (Array.isArray(value) && value.every(isExitCode) ? value : undefined),
  fromText: (list) => itemsOf(list).map(numberFromText),
};

function isExitCode(value: unknown): value is number {
  return isNumber(value) && Number.isInteger(value) && value >= 0 && value <= 255;
}

export const variables: Kind<Readonly<Record<string, string>>> = {
  expected: 'a table of texts such as { APP_ENV = "prod" }, with names that have no "=" and are not empty',
  read: (value) => (isVariables(value) ? value : undefined),
};

function isVariables(value: unknown): value is Readonly<Record<string, string>> {
  if (!isRecord(value)) return false;
  return Object.entries(value).every(
    ([name, each]) => /^[^=\0]+$/.test(name) && typeof each === "string" && !hasNul(each),
  );
}

/** With a host, and nothing but the schemes given. The credentials in it are why no message ever shows it whole. */
export const url = (...schemes: readonly string[]): Kind<string> => ({
  expected: `a URL such as ${schemes[0] ?? ""}://HOST`,
  read: (value) => {
    const scheme = typeof value === "string" ? /^([a-z]+):\/\/[^\s/?#]\S*$/i.exec(value)?.[1] : undefined;
    return typeof value === "string" && scheme !== undefined && schemes.includes(scheme.toLowerCase())
      ? value
      : undefined;
  },
});

/** As HTTP takes it. */
const HEADER = /^[!#$%&'*+.^_`|~\w-]+:[ \t]*[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

export const header: Kind<string> = {
  expected: "a header such as Authorization: Bearer TOKEN",
  read: (value) => (typeof value === "string" && HEADER.test(value) ? value : undefined),
};

export const address: Kind<string> = {
  expected: 'HOST:PORT such as "127.0.0.1:9464" or "[::1]:9464"; ":9464" means every interface',
  read: (value) => (typeof value === "string" && parseAddress(value) !== undefined ? value : undefined),
};

export const hostNames: Kind<readonly string[]> = {
  expected: 'a list of host names without ports, such as ["worker-1.internal"]',
  read: (value) => (Array.isArray(value) && value.every(isHostName) ? value : undefined),
  fromText: itemsOf,
};

/** A name without port or address. */
export const isHostName = (value: unknown): value is string =>
  typeof value === "string" && /^[^\s:[\]/@?#\\]+$/.test(value);

/** @returns an empty host for every interface; port 0 for any free one; `undefined` for what is no address */
export function parseAddress(value: string): { readonly host: string; readonly port: number } | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/]*)):(\d{1,5})$/i.exec(value) ?? [];
  const port = Number(digits);
  return digits === undefined || port > 65_535 ? undefined : { host: bracketed ?? plain ?? "", port };
}

/** Linux numbers: Supervisor takes either. */
const SIGNAL_NUMBERS = { TERM: 15, INT: 2, QUIT: 3, HUP: 1, USR1: 10, USR2: 12, WINCH: 28, KILL: 9 } as const;

export type StopSignal = `SIG${keyof typeof SIGNAL_NUMBERS}`;

export const signal: Kind<StopSignal> = {
  expected: `a signal: ${Object.keys(SIGNAL_NUMBERS).join(", ")}`,
  read: (value) => {
    const wanted = typeof value === "string" ? value.toUpperCase().replace(/^SIG/, "") : value;
    const found = Object.entries(SIGNAL_NUMBERS).find(([name, number]) => wanted === name || wanted === number);
    return found && (`SIG${found[0]}` as StopSignal);
  },
  fromText: numberFromText,
};
