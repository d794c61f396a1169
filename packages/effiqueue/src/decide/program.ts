/**
 * A program as the policies take it, made from plain options: for embedders, tests and simulators. The files of the
 * daemon go through the same check, with their own spelling of the names. DESIGN 5.1. Pure.
 */
import { checkOptions, type Problem } from "../model/check.ts";
import { KEY_NAMES, KEYS, type Key, type KeyName, type Options, optionName } from "../model/keys.ts";
import { nearest } from "../model/nearest.ts";

/** Checked, with defaults: durations in seconds, sizes in bytes. */
export type ProgramConfig = Options;

export interface ProgramProblem {
  /** As given: `maxWorkers`. */
  readonly key: string;
  readonly code: Problem["code"] | "unknown";
  /** What would be right. */
  readonly expected: string;
  /** `undefined` where it is missing, or may be secret. */
  readonly got: unknown;
}

/** Everything that is wrong with the options of a program, at once. */
export class ProgramConfigError extends RangeError {
  override readonly name = "ProgramConfigError";
  readonly problems: readonly ProgramProblem[];

  constructor(problems: readonly ProgramProblem[]) {
    super(problems.map(sentence).join("; "));
    this.problems = problems;
  }
}

const NAMES: ReadonlyMap<string, KeyName> = new Map(KEY_NAMES.map((name) => [optionName(name), name]));

/**
 * @param options camelCase names of the key table; durations as seconds or `"30s"`, sizes as bytes or `"512MB"`;
 *   `undefined` counts as left out
 * @throws ProgramConfigError naming every option that is wrong
 */
export function programConfig(options: object): ProgramConfig {
  const given: Partial<Record<KeyName, unknown>> = {};
  const problems: ProgramProblem[] = [];
  for (const [option, value] of Object.entries(options) as [string, unknown][]) {
    const name = NAMES.get(option);
    if (name !== undefined) given[name] = value;
    else if (value !== undefined) problems.push(unknownOption(option, value));
  }
  const checked = checkOptions(given);
  if (checked.kind === "ok" && problems.length === 0) return checked.options;
  if (checked.kind === "wrong") {
    for (const { key, code, expected } of checked.problems) {
      const { secret }: Key = KEYS[key];
      problems.push({ key: optionName(key), code, expected, got: secret ? undefined : given[key] });
    }
  }
  throw new ProgramConfigError(problems);
}

function unknownOption(option: string, got: unknown): ProgramProblem {
  const meant = nearest(option, [...NAMES.keys()]);
  return { key: option, code: "unknown", expected: meant ?? `one of ${[...NAMES.keys()].join(", ")}`, got };
}

function sentence({ key, code, expected, got }: ProgramProblem): string {
  if (code === "unknown") return `${key}: no such option, expected ${expected}`;
  if (got === undefined) return `${key}: expected ${expected}${code === "missing" ? ", got nothing" : ""}`;
  return `${key}: expected ${expected}, got ${show(got)}`;
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return "a list";
  return value !== null && (typeof value === "object" || typeof value === "function") ? typeof value : String(value);
}
