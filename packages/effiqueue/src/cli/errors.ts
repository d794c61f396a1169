/**
 * How a command fails: what is wrong with the remedy, an object with `--json`, and an exit code that scripts and service managers
 * can act on. Stack traces are for those who ask. DESIGN 7.9.
 */
import { CommanderError } from "commander";
import type { Finding } from "../config/errors.ts";
import { errorMessages, errorStacks } from "../model/error-chain.ts";
import { redact } from "../model/redact.ts";
import { visibleLines } from "../model/visible.ts";

export const EXIT = { done: 0, failed: 1, usage: 64, unavailable: 69, software: 70, config: 78 } as const;

/** The command line itself is wrong: exit 64. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  readonly code = "usage";
}

/** The command did not get what it went for, for a reason that its message tells: exit 1. */
export class FailedError extends Error {
  override readonly name = "FailedError";
  readonly code = "failed";
}

/** By the `code` of our errors; what has none of these is a fault of the program. */
const EXIT_OF: Readonly<Record<string, number>> = {
  usage: EXIT.usage,
  failed: EXIT.failed,
  config: EXIT.config,
  user: EXIT.config,
  "token-file": EXIT.config,
  "pool-locked": EXIT.unavailable,
  "state-folder": EXIT.unavailable,
  listen: EXIT.unavailable,
  "no-daemon": EXIT.unavailable,
  "socket-path": EXIT.unavailable,
};

export const exitCodeOf = (error: unknown): number => EXIT_OF[codeOf(error)] ?? EXIT.software;

function codeOf(error: unknown): string {
  if (error instanceof CommanderError) return "usage";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && code in EXIT_OF ? code : "software";
}

export interface ErrorStyle {
  readonly json: boolean;
  readonly debug: boolean;
}

/** Text for standard error, with its line feed. */
export function formatError(error: unknown, { json, debug }: ErrorStyle): string {
  const [message = "", ...causes] = errorMessages(error).map(redact);
  const stack = debug && error instanceof Error ? redact(errorStacks(error)) : undefined;
  const problems = problemsOf(error);
  if (json) {
    const about = problems === undefined ? { message, causes } : { message, problems };
    return `${JSON.stringify({ error: { code: codeOf(error), ...about, ...(stack === undefined ? {} : { stack }) } })}\n`;
  }
  const text =
    problems === undefined ? `effiqueue: ${[message, ...causes].join(": ")}` : redact((error as Error).message);
  return `${visibleLines([text, ...(stack === undefined ? [] : [stack])].join("\n"))}\n`;
}

/** Of a configuration: they stand in lines of their own, each with its place, as compilers print them. */
const problemsOf = (error: unknown): readonly Finding[] | undefined =>
  error instanceof Error && "problems" in error && codeOf(error) === "config"
    ? (error.problems as readonly Finding[])
    : undefined;
