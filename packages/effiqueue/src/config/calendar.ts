/**
 * When schedules hold: cron expressions on the wall clock of a time zone, also in the nights in which the clocks change.
 * DESIGN 5.5, `docs/decisions/0006`.
 */
import { createRequire } from "node:module";
import type { Cron } from "croner";
import type { Calendar } from "../model/ports.ts";
import type { ActiveSpan, Schedule } from "../model/schedule.ts";
import { type WallMs, wallMs } from "../units.ts";
import { SyntaxFault } from "./errors.ts";

/** @throws SyntaxFault for an expression or a time zone that is none; `checkedCron` and `checkedZone` say so before */
export function openCalendar(schedules: readonly Schedule[]): Calendar {
  const spans = schedules.map((schedule) => spanOf(schedule));
  return { at: (now) => spans.flatMap((at) => at(now) ?? []) };
}

function spanOf({
  name,
  cron,
  forSec,
  timeZone,
  minWorkers,
  maxWorkers,
}: Schedule): (now: WallMs) => ActiveSpan | null {
  const starts = checkedCron(cron, timeZone);
  const offsetMs = offsetIn(timeZone);
  return (now) => {
    // The latest beginning is what counts: a span that begins within another goes on where that ends. `previousRuns` excludes its moment.
    const start = starts.previousRuns(1, new Date(now + 1))[0]?.getTime();
    if (start === undefined) return null;
    const until = wallMs(endOf(start, forSec * 1000, offsetMs));
    return now < until ? { name, minWorkers, maxWorkers, until } : null;
  };
}

/**
 * The moment at which the wall clock shows so much more than at `start`. A time that the clocks jump over comes as much later
 * as they jump; of one that comes twice it is the first.
 */
function endOf(start: number, forMs: number, offsetMs: (at: number) => number): number {
  const elapsed = start + forMs;
  const shown = elapsed + offsetMs(start) - offsetMs(elapsed);
  return offsetMs(shown) === offsetMs(elapsed) ? shown : elapsed;
}

/** The library is loaded with the first schedule: most files have none, and checking a file waits for nothing. */
const load = createRequire(import.meta.url);

/** Names of moments that come again and again; croner takes single dates and seconds as well, which are no use here. */
const FIVE_FIELDS = /^(@\w+|\S+(\s+\S+){4})$/;

/** @throws SyntaxFault saying what would be right */
export function checkedCron(expression: string, timeZone?: string): Cron {
  const text = expression.trim();
  if (!FIVE_FIELDS.test(text)) throw new SyntaxFault(NO_CRON);
  const croner = load("croner") as typeof import("croner");
  let cron: Cron;
  try {
    cron = new croner.Cron(text, { paused: true, ...(timeZone === undefined ? {} : { timezone: timeZone }) });
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, "") : String(error);
    throw new SyntaxFault(`${NO_CRON} (${reason})`);
  }
  if (cron.nextRun() === null) throw new SyntaxFault("never comes; expected a day that a calendar has");
  return cron;
}

const NO_CRON = 'expected five fields of cron such as "0 8 * * 1-5", or @daily and the like';

/** @throws SyntaxFault */
export function checkedZone(timeZone: string): void {
  try {
    new Intl.DateTimeFormat("en-US", { timeZone });
  } catch {
    throw new SyntaxFault('expected a time zone such as "Europe/Berlin" or "UTC"');
  }
}

/**
 * A zone that the system names in a way that JavaScript does not understand, as `TZ=:/etc/localtime` does, would be UTC without a word.
 *
 * @throws SyntaxFault
 */
export function checkedOwnZone(): void {
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  const { TZ: given } = process.env;
  if (given === "" || (zone !== undefined && zone !== "Etc/Unknown")) return;
  const why = given === undefined ? "" : ` (TZ is ${JSON.stringify(given)})`;
  throw new SyntaxFault(
    `missing, and that of the machine cannot be told${why}; expected one such as "Europe/Berlin" or "UTC"`,
  );
}

/** By how much the wall clock of a zone is ahead of UTC at a moment. */
function offsetIn(timeZone: string | undefined): (at: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    const shown = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
    return shown - Math.floor(at / 1000) * 1000;
  };
}
