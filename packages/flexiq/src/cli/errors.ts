/**
 * How a command fails: one message with the remedy, an object with `--json`, and an exit code that scripts can act on. Stack
 * traces are for those who ask. DESIGN 12.1.
 */
import { CommanderError } from "commander";
import { FlexiqError } from "../errors.ts";

export const EXIT = { done: 0, failed: 1, usage: 64, refused: 69, busy: 75 } as const;

/** The command line itself is wrong: exit 64. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof CommanderError) return EXIT.usage;
  if (!(error instanceof FlexiqError)) return EXIT.failed;
  if (error.code === "busy") return EXIT.busy;
  if (error.code === "locked-by-other" || error.code === "cannot-listen") return EXIT.refused;
  return error.code === "invalid-option" ? EXIT.usage : EXIT.failed;
}

export interface ErrorStyle {
  readonly json: boolean;
  readonly debug: boolean;
}

/** Text for standard error, with its line feed. */
export function formatError(error: unknown, style: ErrorStyle): string {
  const [message = "", ...causes] = messagesOf(error);
  const stack = style.debug && error instanceof Error ? error.stack : undefined;
  if (style.json) {
    const object = { error: { code: errorCode(error), message, causes, ...(stack === undefined ? {} : { stack }) } };
    return `${JSON.stringify(object)}\n`;
  }
  return `flexiq: ${[message, ...causes].join(": ")}\n${stack === undefined ? "" : `${stacksOf(error)}\n`}`;
}

function errorCode(error: unknown): string {
  if (error instanceof FlexiqError) return error.code;
  return exitCodeOf(error) === EXIT.usage ? "usage" : "failed";
}

/** The message and those of its causes, outermost first, each on one line. */
function messagesOf(error: unknown): string[] {
  return chainOf(error).map((link) => {
    const message = link instanceof Error ? link.message || link.name : String(link);
    return oneLine(link instanceof CommanderError ? message.replace(/^error: (command-argument )?/, "") : message);
  });
}

const stacksOf = (error: unknown): string =>
  chainOf(error)
    .map((link) => (link instanceof Error ? (link.stack ?? link.message) : String(link)))
    .join("\ncaused by: ");

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let link = error;
  while (link !== undefined && !chain.includes(link)) {
    chain.push(link);
    link = link instanceof Error ? link.cause : undefined;
  }
  return chain;
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, " ");
