/** The tables of a program's schedules, or everything that is wrong with them. DESIGN 5.5. */
import { nearest } from "../model/nearest.ts";
import { schedules as kind, SCHEDULE_KEYS, type Schedule, type ScheduleKeyName } from "../model/schedule.ts";
import { checkedCron, checkedOwnZone, checkedZone } from "./calendar.ts";
import { faultOf, noKey } from "./errors.ts";
import { isTable, type Table } from "./raw.ts";
import { showValue } from "./show.ts";

export interface ScheduleFault {
  /** Where in the list: `[0].cron`; `""`: the list itself. */
  readonly place: string;
  /** As its owner counts: `schedule[1].cron`. */
  readonly key: string;
  readonly text: string;
}

type Read = { readonly [Name in ScheduleKeyName]?: unknown };

/** @returns the schedules, as far as they could be read, with what is wrong */
export function readSchedules(value: unknown): {
  readonly schedules: readonly Schedule[];
  readonly faults: readonly ScheduleFault[];
} {
  if (!Array.isArray(value) || !value.every(isTable)) {
    return { schedules: [], faults: [{ place: "", key: "schedule", text: `expected ${kind.expected}` }] };
  }
  const all = value.map((table, i) => readSchedule(table, i));
  return {
    schedules: all.flatMap(({ schedule }) => schedule ?? []),
    faults: all.flatMap(({ faults }) => faults),
  };
}

function readSchedule(table: Table, i: number): { schedule: Schedule | null; faults: ScheduleFault[] } {
  const faults: ScheduleFault[] = [];
  const tell = (name: string, text: string): void => {
    faults.push({ place: `[${i}].${name}`, key: `schedule[${i + 1}].${name}`, text });
  };
  for (const name of Object.keys(table)) {
    if (name in SCHEDULE_KEYS) continue;
    tell(name, noKey(nearest(name, Object.keys(SCHEDULE_KEYS))));
  }
  const read: Read = Object.fromEntries(
    (Object.keys(SCHEDULE_KEYS) as ScheduleKeyName[]).map((name) => [name, readKey(table, name, tell)]),
  );
  const { name, for: forSec, time_zone: timeZone, min_workers: minWorkers, max_workers: maxWorkers } = read;
  const zoneFault = typeof timeZone === "string" ? faultOf(() => checkedZone(timeZone)) : undefined;
  if (zoneFault !== undefined) tell("time_zone", `${zoneFault}, got ${showValue(timeZone)}`);
  const ownZoneFault = table["time_zone"] === undefined ? faultOf(checkedOwnZone) : undefined;
  if (ownZoneFault !== undefined) tell("time_zone", ownZoneFault);
  const { cron } = read;
  const cronFault = typeof cron === "string" ? faultOf(() => checkedCron(cron)) : undefined;
  if (cronFault !== undefined) tell("cron", `${cronFault}, got ${showValue(cron)}`);
  if (table["min_workers"] === undefined && table["max_workers"] === undefined) {
    tell("min_workers", "missing; expected min_workers, max_workers or both, or the schedule changes nothing");
  }
  if (typeof minWorkers === "number" && typeof maxWorkers === "number" && minWorkers > maxWorkers) {
    tell("min_workers", `expected at most max_workers of the schedule, which is ${maxWorkers}, got ${minWorkers}`);
  }
  if (faults.length > 0 || typeof cron !== "string") return { schedule: null, faults };
  return {
    schedule: {
      name: typeof name === "string" ? name : cron,
      cron,
      forSec: Number(forSec),
      timeZone: timeZone as string | undefined,
      minWorkers: minWorkers as number | undefined,
      maxWorkers: maxWorkers as number | undefined,
    },
    faults,
  };
}

function readKey(table: Table, name: ScheduleKeyName, tell: (name: string, text: string) => void): unknown {
  const { kind, ...key } = SCHEDULE_KEYS[name];
  const value = table[name];
  if (value === undefined) {
    if ("required" in key) tell(name, `missing; expected ${kind.expected}`);
    return undefined;
  }
  const read: unknown = kind.read(value);
  if (read === undefined) tell(name, `expected ${kind.expected}, got ${showValue(value)}`);
  return read;
}
