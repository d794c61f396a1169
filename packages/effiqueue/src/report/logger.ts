/**
 * Where log lines go: JSON lines on standard error, readable lines when that is a terminal. Both write synchronously in
 * this process, so that the last words before a crash are not lost. DESIGN 6.2.
 */
import { createRequire } from "node:module";
import { isatty } from "node:tty";
import type { DestinationStream } from "pino";
import { visible } from "../model/visible.ts";

/** The part of pino that is used here; any pino-like logger fits. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LoggerOptions {
  /** Becomes the field `logger` of every line, e.g. `flexiq.autoscale`. */
  readonly name: string;
  /** Default: `EFFIQUEUE_LOG`, else `info`. */
  readonly level?: LogLevel;
  /** The field that says what a line is about, for logs of several things: it is part of every line, but a readable one shows no fields. */
  readonly subject?: string;
  /** Gets JSON lines, whatever it is. Default: standard error, readable when it is a terminal. */
  readonly destination?: DestinationStream;
}

const STDERR = 2;

/** Lines kept, in characters, while none can be written: enough to tell what happened meanwhile, and no leak. */
const KEPT_UNWRITTEN = 1_000_000;

// Both are loaded when a logger is made, not when the package is imported: together they cost 60 ms and 10 MB.
const require = createRequire(import.meta.url);

/**
 * A logger whose lines carry `level` as a word, `time` in ISO 8601 and `logger`.
 *
 * @throws RangeError naming the option or variable when the level is none of `LOG_LEVELS`
 */
export function createLogger(options: LoggerOptions): Logger {
  const { pino } = require("pino") as typeof import("pino");
  return pino(
    {
      level: levelFrom(options.level, process.env["EFFIQUEUE_LOG"]),
      base: { logger: options.name },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    options.destination ?? standardError(pino.destination, options.subject),
  );
}

function standardError(destination: typeof import("pino").destination, subject?: string): DestinationStream {
  const plain = destination({ dest: STDERR, sync: true, maxLength: KEPT_UNWRITTEN });
  // A full disk (ENOSPC) or a terminal that was closed (EIO) may cost lines, but not a worker with its jobs.
  plain.on("error", () => undefined);
  if (!isatty(STDERR)) return plain;
  const { prettyFactory, isColorSupported } = require("pino-pretty") as typeof import("pino-pretty");
  const readable = prettyFactory({
    colorize: isColorSupported,
    translateTime: "SYS:HH:MM:ss.l",
    // The sentence already says what the fields say; the pid is a worker's, and would be taken for that of this process.
    messageFormat: (fields, message) => visible(`${namesOf(fields, subject)}: ${String(fields[message])}`),
    hideObject: true,
    ignore: "pid",
  });
  return { write: (line) => plain.write(readable(line)) };
}

const namesOf = (fields: Record<string, unknown>, subject: string | undefined): string =>
  ["logger", subject ?? ""].flatMap((name) => (name in fields ? [String(fields[name])] : [])).join(" ");

function levelFrom(option: string | undefined, variable: string | undefined): LogLevel {
  const [source, given] = option !== undefined ? ["level", option] : ["EFFIQUEUE_LOG", variable];
  if (given === undefined || given === "") return "info";
  const level = LOG_LEVELS.find((each) => each === given.toLowerCase());
  if (level === undefined) {
    throw new RangeError(`${source}: expected one of ${LOG_LEVELS.join(", ")}, got ${JSON.stringify(given)}`);
  }
  return level;
}
