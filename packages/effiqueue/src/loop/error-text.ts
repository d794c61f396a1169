/** An error and its causes on one line, for the fields of events. DESIGN 6.1. */
import { inspect } from "node:util";

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === "string" ? error : inspect(error);
  const own = error.message || error.name;
  return error.cause === undefined ? own : `${own}: ${errorText(error.cause)}`;
}
