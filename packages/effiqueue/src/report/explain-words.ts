/** Figures as an explanation says them. DESIGN 6.5. Pure. */
import type { RecycleReason } from "../model/recycling.ts";

/** As many digits as anybody reads. */
export const figure = (value: number | null): string =>
  value === null ? "?" : String(Number.isInteger(value) ? value : Number(value.toPrecision(3)));

export const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? "" : "s"}`;

/** `null` leaves that side open. */
export const limitsText = (min: number | null, max: number | null, joint: string): string =>
  [min === null ? [] : `at least ${counted(min, "worker")}`, max === null ? [] : `at most ${counted(max, "worker")}`]
    .flat()
    .join(joint);

export const isOrAre = (count: number): string => (count === 1 ? "is" : "are");

const UNITS = ["bytes", "KiB", "MiB", "GiB", "TiB"];

export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value >= 100 || Number.isInteger(value) ? Math.round(value) : value.toFixed(1)} ${UNITS[power] ?? ""}`;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Whole seconds, rounded up: a promise of a time must not be too short. The two largest units from an hour on. */
export function durationText(seconds: number | null): string {
  if (seconds === null) return "?";
  const whole = Math.ceil(Number(seconds.toPrecision(12)));
  if (whole < 10 * MINUTE) return `${whole} s`;
  if (whole < HOUR) return inTwo(whole, MINUTE, "min", 1, "s");
  if (whole < DAY) return inTwo(whole, HOUR, "h", MINUTE, "min");
  return inTwo(whole, DAY, "d", HOUR, "h");
}

function inTwo(whole: number, large: number, largeName: string, small: number, smallName: string): string {
  const rounded = Math.ceil(whole / small) * small;
  const rest = (rounded % large) / small;
  return `${Math.floor(rounded / large)} ${largeName}${rest === 0 ? "" : ` ${rest} ${smallName}`}`;
}

/** Why a worker was replaced for its own sake. Ages are in seconds. */
export function recycledText({ why, value, limit }: RecycledFigures): string {
  switch (why) {
    case "age":
      return `it is ${figure(value && Math.floor(value))} s old, the limit is ${figure(limit)} s`;
    case "memory":
      return `it takes ${bytesText(value ?? 0)}, the limit is ${bytesText(limit ?? 0)}`;
    case "outgrown":
      return `it has taken ${bytesText(value ?? 0)} or more for ten minutes, the limit is ${bytesText(limit ?? 0)}, a quarter more than grown ones take, and memory is short`;
    case "jobs":
      return `it has finished ${counted(value ?? 0, "job")}, the limit is ${limit}`;
    case "changed":
      return "it was started with another command, environment or output than now";
    case "restart":
      return "an operator said so";
  }
}

interface RecycledFigures {
  readonly why: RecycleReason;
  readonly value: number | null;
  readonly limit: number | null;
}

/** Of an ISO 8601 stamp. */
export const clockTime = (stamp: string): string => stamp.slice(11, 19);
export const dayAndTime = (stamp: string): string => `${stamp.slice(0, 10)} ${clockTime(stamp)}`;
