/**
 * What is kept of a failed attempt: enough to find the fault, bounded so that a hot failing job cannot fill the disk.
 * DESIGN 10.4.
 */
import { jsonText } from "./json.ts";

/** A stack of ten frames with a long message and a cause or two fits; a dumped response body does not. */
const MAX_CHARS = 8_000;
const MAX_CAUSES = 5;

/** Stack and causes of whatever a handler threw. Never throws, though what is thrown may answer every question with another throw. */
export function errorText(thrown: unknown): string {
  try {
    return textOf(thrown);
  } catch {
    return "thrown: something that cannot be shown";
  }
}

function textOf(thrown: unknown): string {
  const parts: string[] = [];
  let link = thrown;
  do {
    parts.push(oneText(link));
    link = link instanceof Error ? link.cause : undefined;
  } while (link !== undefined && parts.length < MAX_CAUSES);
  return bounded(parts.join("\ncaused by: "));
}

function oneText(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `thrown: ${describe(thrown)}`;
  // Some libraries overwrite `stack` or the message after the stack was taken, and with what is no text.
  const { message: given, stack } = thrown as { message: unknown; stack?: unknown };
  const message = String(given);
  const head = `${thrown.name}: ${message}`;
  if (typeof stack !== "string") return head;
  return stack.includes(message) ? stack : `${head}\n${stack}`.trimEnd();
}

function describe(value: unknown): string {
  try {
    return jsonText(value) ?? String(value);
  } catch {
    return String(value);
  }
}

const bounded = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}... (${text.length - MAX_CHARS} more characters)`;

/** The first line, for a log line or a table. */
export const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
