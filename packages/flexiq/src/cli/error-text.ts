/**
 * What a command that failed says: one message with the remedy, an object with `--json`. Stack traces are for those who ask. A module of
 * its own, for what it takes of the engine is loaded when something fails. DESIGN 12.1.
 */
import { errorMessages, errorStacks, visibleLines } from "effiqueue";
import { FlexiqError } from "../errors.ts";
import { EXIT, exitCodeOf } from "./errors.ts";

export interface ErrorStyle {
  readonly json: boolean;
  readonly debug: boolean;
}

/** Text for standard error, with its line feed. */
export function formatError(error: unknown, { json, debug }: ErrorStyle): string {
  const [message = "", ...causes] = errorMessages(error);
  const stack = debug && error instanceof Error ? errorStacks(error) : undefined;
  if (json) {
    const object = { error: { code: errorCode(error), message, causes, ...(stack === undefined ? {} : { stack }) } };
    return `${JSON.stringify(object)}\n`;
  }
  const text = `flexiq: ${[message, ...causes].join(": ")}`;
  return `${visibleLines([text, ...(stack === undefined ? [] : [stack])].join("\n"))}\n`;
}

function errorCode(error: unknown): string {
  if (error instanceof FlexiqError) return error.code;
  return exitCodeOf(error) === EXIT.usage ? "usage" : "failed";
}
