/**
 * A span of time in which a program has another floor or ceiling: what can be set of it, and what several at a time come to.
 * When they hold is the calendar's word (`config/calendar.ts`). DESIGN 5.5. Pure.
 */
import type { WallMs } from "../units.ts";
import { type Kind, someTime, text, whole } from "./kinds.ts";

export interface Schedule {
  /** What it is called in reasons and events. */
  readonly name: string;
  /** When its spans begin: five fields of cron, or a nickname such as `@daily`. */
  readonly cron: string;
  /** Seconds on the wall clock of its zone. */
  readonly forSec: number;
  /** IANA name, such as `Europe/Berlin`; `undefined`: the machine's. */
  readonly timeZone: string | undefined;
  /** Raises the floor to it. */
  readonly minWorkers: number | undefined;
  /** Lowers the ceiling to it; 0 stops all workers for the span. */
  readonly maxWorkers: number | undefined;
}

interface ScheduleKey {
  readonly kind: Kind<unknown>;
  readonly required?: true;
  readonly absent?: string;
  readonly help: string;
}

/** The keys of a `[[program.schedule]]`. */
export const SCHEDULE_KEYS = {
  name: { kind: text, absent: "the expression", help: "what it is called in logs and explanations" },
  cron: {
    kind: text,
    required: true,
    help: "when a span begins: minute, hour, day of month, month, day of week; or `@daily` and the like",
  },
  for: {
    kind: someTime,
    required: true,
    help: "how long it lasts by the clock on the wall: ten hours from 22:00 end at 08:00, also in the night in which the clocks change",
  },
  time_zone: {
    kind: text,
    absent: "the machine's, as it was when the process started",
    help: "whose wall clock that is, such as `Europe/Berlin` or `UTC`",
  },
  min_workers: { kind: whole(0), absent: "the program's", help: "raises the floor" },
  max_workers: { kind: whole(0), absent: "the program's", help: "lowers the ceiling; 0 stops all workers" },
} as const satisfies Readonly<Record<string, ScheduleKey>>;

export type ScheduleKeyName = keyof typeof SCHEDULE_KEYS;

/** A schedule that holds at the moment. */
export interface ActiveSpan {
  readonly name: string;
  readonly minWorkers: number | undefined;
  readonly maxWorkers: number | undefined;
  /** When it ends. */
  readonly until: WallMs;
}

/** Floor and ceiling at one moment, and the schedules that they are from, where they are from one. */
export interface Limits {
  readonly minWorkers: number;
  readonly maxWorkers: number;
  readonly floorBy?: string | undefined;
  readonly ceilingBy?: string | undefined;
}

/**
 * The highest floor and the lowest ceiling hold. Where they contradict each other the ceiling does: it is there to protect
 * something, and a floor is there to be quick.
 */
export function limitsIn(program: Pick<Limits, "minWorkers" | "maxWorkers">, spans: readonly ActiveSpan[]): Limits {
  let limits: Limits = { minWorkers: program.minWorkers, maxWorkers: program.maxWorkers };
  for (const { name, minWorkers, maxWorkers } of spans) {
    if (minWorkers !== undefined && minWorkers > limits.minWorkers) limits = { ...limits, minWorkers, floorBy: name };
    if (maxWorkers !== undefined && maxWorkers < limits.maxWorkers) limits = { ...limits, maxWorkers, ceilingBy: name };
  }
  const { minWorkers, maxWorkers, ceilingBy } = limits;
  return minWorkers <= maxWorkers ? limits : { ...limits, minWorkers: maxWorkers, floorBy: ceilingBy };
}

/** Checked where it was read (`config/schedules.ts`). */
export const schedules: Kind<readonly Schedule[]> = {
  expected: "tables, each under a [[program.schedule]] of its own",
  read: (value) => (Array.isArray(value) && value.every(isSchedule) ? value : undefined),
};

function isSchedule(value: unknown): value is Schedule {
  const { name, cron, forSec } = (value ?? {}) as Partial<Schedule>;
  return typeof name === "string" && typeof cron === "string" && typeof forSec === "number";
}
