/**
 * What is wrong with a configuration: every finding names the file, the line where it is known, the program and the key, and
 * says what would be right; all of them are told at once. DESIGN 5.1.
 */
import { redact } from "../model/redact.ts";

export interface Finding {
  readonly file: string;
  /** From 1; absent where the fault is that something is missing, or where the position is not known. */
  readonly line?: number | undefined;
  /** As the file calls it: `program "mail"`, `[program:mail]`; absent for what is shared. */
  readonly program?: string | undefined;
  /** As it was typed. */
  readonly key?: string | undefined;
  /** Never holds a credential. */
  readonly text: string;
}

/** `FILE:LINE: PROGRAM: KEY: TEXT`, as compilers do, so that editors and people find the place. */
export function findingText({ file, line, program, key, text }: Finding): string {
  const place = line === undefined ? file : `${file}:${line}`;
  return redact([place, program, key, text].filter((part) => part !== undefined).join(": "));
}

/** The configuration cannot be used. Nothing was started. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code = "config";
  readonly problems: readonly Finding[];

  constructor(problems: readonly Finding[], options?: ErrorOptions) {
    super(problems.map(findingText).join("\n"), options);
    this.problems = problems;
  }
}

/** A part of a text cannot be read; the message completes "KEY: ...". Caught where key and line are known. */
export class SyntaxFault extends Error {
  override readonly name = "SyntaxFault";
}

/** What is said of a key that nobody knows. */
export const noKey = (meant: string | undefined): string =>
  meant === undefined ? "is no key" : `is no key, did you mean ${meant}?`;

/** What the fault says; `undefined` when there is none. */
export function faultOf(how: () => unknown): string | undefined {
  try {
    how();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof SyntaxFault)) throw fault;
    return fault.message;
  }
}
