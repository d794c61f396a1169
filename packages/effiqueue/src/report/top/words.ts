/** Figures of the screen as words, each with its unit. DESIGN 6.8. Pure. */
import { bytesText, durationText, figure } from "../explain-words.ts";
import type { ProgramView } from "./view.ts";

export const UNKNOWN = "unknown";

/** Groups of three digits; what is no whole number to three digits. */
export function grouped(value: number | null): string {
  return value === null ? UNKNOWN : figure(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Beyond this nobody waits for it. */
const LONGEST_SEC = 1_000 * 86_400;

export function drainText(seconds: number | null): string {
  if (seconds === null) return UNKNOWN;
  return seconds > LONGEST_SEC ? "never" : durationText(seconds);
}

export function backlogText({ figures: { backlog, unacked } }: ProgramView): string {
  const inHand = unacked === null ? "" : ` (${grouped(unacked)} unacked)`;
  return backlog === null ? UNKNOWN : `${grouped(backlog)} message${backlog === 1 ? "" : "s"}${inHand}`;
}

export const rateText = (perSec: number | null, what: string): string =>
  perSec === null ? UNKNOWN : `${grouped(perSec)}/s ${what}`;

const SOURCES = ["", ", by the broker", ", inferred"];

export function muText({ figures: { muPerSec, muSource } }: ProgramView): string {
  return muPerSec === null ? "unknown yet" : `${rateText(muPerSec, "a worker")}${SOURCES[muSource ?? 0] ?? ""}`;
}

export function memoryText({ figures: { poolBytes, budgetBytes, workerBytes } }: ProgramView): string {
  if (poolBytes === null) return UNKNOWN;
  const largest = workerBytes === null ? "" : `, ${bytesText(workerBytes)} a worker`;
  return `${partText(poolBytes, budgetBytes)}${largest}`;
}

/** `11 of 12 GiB`: the unit once where it is the same. */
function partText(part: number, whole: number | null): string {
  if (whole === null) return bytesText(part);
  const [partUnit, wholeUnit] = [part, whole].map((bytes) => bytesText(bytes).replace(/^\S+ /, ""));
  const shown = bytesText(part);
  return `${partUnit === wholeUnit ? shown.replace(/ .*$/, "") : shown} of ${bytesText(whole)}`;
}
