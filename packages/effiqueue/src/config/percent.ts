/**
 * `%(process_num)02d` and its like: what a worker's own number and name, and Supervisor's expressions, become. DESIGN 5.3.
 */
import { nearest } from "../model/nearest.ts";
import { type Environment, variableOf } from "./environment.ts";
import { SyntaxFault } from "./errors.ts";

/**
 * - strict: Supervisor's (and Python's) rule, by which every `%` begins an expression and `%%` is a percent sign;
 * - lenient: only `%(` begins one and `%%(` is those two characters, so that `date +%s` and `%2F` mean themselves.
 */
export type PercentRule = "strict" | "lenient";

export interface Names {
  /** What the names stand for. Numbers take `d`, texts and numbers `s`. */
  readonly values: Readonly<Record<string, string | number>>;
  /** What `%(ENV_NAME)s` stands for, in files that know it. */
  readonly env?: Environment;
}

const STRICT = /%(?:(%)|\(([^)]*)\)([-0]*)(\d*)([a-zA-Z]?)|)/g;
const LENIENT = /%(?:(%\()|\(([^)]*)\)([-0]*)(\d*)([a-zA-Z]?))/g;

/** @throws SyntaxFault naming the expression and what would be right */
export function expandPercent(text: string, rule: PercentRule, names: Names): string {
  return text.replace(
    rule === "strict" ? STRICT : LENIENT,
    (whole: string, escaped?: string, name?: string, flags?: string, width?: string, letter?: string) => {
      if (escaped !== undefined) return rule === "strict" ? "%" : "%(";
      if (name === undefined) throw new SyntaxFault("a % that means itself is written %% here");
      return pad(valueOf(name, names, whole), letter ?? "", flags ?? "", Number(width ?? 0), whole);
    },
  );
}

function valueOf(name: string, { values, env }: Names, whole: string): string | number {
  if (Object.hasOwn(values, name)) return values[name] ?? "";
  if (env !== undefined && name.startsWith("ENV_")) {
    return variableOf(env, name.slice("ENV_".length));
  }
  const known = Object.keys(values);
  const meant = nearest(name, known);
  const hint = meant === undefined ? `the known ones are ${known.join(", ")}` : `did you mean %(${meant})s?`;
  throw new SyntaxFault(`${whole} is no known expression; ${hint}`);
}

function pad(value: string | number, letter: string, flags: string, width: number, whole: string): string {
  const isNumber = typeof value === "number";
  if (letter !== "s" && !(isNumber && (letter === "d" || letter === "i"))) {
    throw new SyntaxFault(`${whole} has to end in ${isNumber ? "d or s" : "s"}`);
  }
  if (flags.includes("-")) return String(value).padEnd(width);
  return String(value).padStart(width, flags.includes("0") && letter !== "s" ? "0" : " ");
}
