/**
 * Schedules of the autoscaler, in one notation for code and command line: `CRON for DURATION [in ZONE] [min N] [max N]`. What its
 * parts may be is the word of the daemon's schedules. DESIGN 11.8.
 */
import { type Calendar, openCalendar, readSchedules, type Schedule } from "effiqueue";

const EXAMPLE = '"0 8 * * 1-5 for 10h in Europe/Berlin min 4"';

const NOTATION =
  /^(?<cron>.+?)\s+for\s+(?<span>\S+)(?:\s+in\s+(?<zone>\S+))?(?:\s+min\s+(?<min>\S+))?(?:\s+max\s+(?<max>\S+))?$/;

/** The daemon's name of each part, and the word for it here. */
const WORDS: Readonly<Record<string, string>> = { for: "for", time_zone: "in", min_workers: "min", max_workers: "max" };

interface Spans {
  readonly schedules: readonly Schedule[];
  /** What would be right; `null`: nothing is wrong. */
  readonly expected: string | null;
}

/** @param maxWorkers a floor above it is wrong; anything but a number is told elsewhere */
function readSpans(value: unknown, maxWorkers: unknown): Spans {
  if (!Array.isArray(value) || !value.every((each) => typeof each === "string")) {
    return { schedules: [], expected: `a list of spans such as ${EXAMPLE}` };
  }
  const tables = value.map(tableOf);
  const stranger = value.find((_, i) => tables[i] === null);
  if (stranger !== undefined) return { schedules: [], expected: `spans such as ${EXAMPLE}` };
  const { schedules, faults } = readSchedules(tables);
  const [fault] = faults;
  if (fault !== undefined) {
    const part = fault.key.replace(/^.*\./, "");
    return { schedules: [], expected: `spans such as ${EXAMPLE} (${WORDS[part] ?? part}: ${fault.text})` };
  }
  const high = schedules.find(({ minWorkers = 0 }) => typeof maxWorkers === "number" && minWorkers > maxWorkers);
  const expected = high === undefined ? null : `a floor of at most maxWorkers, which is ${String(maxWorkers)}`;
  return { schedules, expected };
}

function tableOf(text: string): object | null {
  const parts = NOTATION.exec(text.trim())?.groups;
  if (parts === undefined) return null;
  const { cron, span, zone, min, max } = parts;
  return {
    cron,
    for: numberOrText(span),
    ...(zone === undefined ? {} : { time_zone: zone }),
    ...(min === undefined ? {} : { min_workers: numberOrText(min) }),
    ...(max === undefined ? {} : { max_workers: numberOrText(max) }),
  };
}

const numberOrText = (text: string | undefined): unknown =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : text;

/** What would be right; `null`: nothing is wrong. */
export const schedulesExpected = (value: unknown, maxWorkers: unknown): string | null =>
  readSpans(value, maxWorkers).expected;

/** @param spans checked; `undefined`: there is none */
export function calendarOf(spans: readonly string[]): Calendar | undefined {
  return spans.length === 0 ? undefined : openCalendar(readSpans(spans, null).schedules);
}
