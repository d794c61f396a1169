/** Figures of the screen as words, each with its unit. DESIGN 6.8. Pure. */
import { bytesText, durationText, figure } from "../explain-words.ts";
import type { ProgramView } from "./view.ts";

export const UNKNOWN = "unknown";

/** Groups of three digits; what is no whole number to three digits. */
export function grouped(value: number | null): string {
  return value === null ? UNKNOWN : figure(value).replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

/** Beyond this nobody waits for it. */
const LONGEST_SEC = 1_000 * 86_400;

export function drainText(seconds: number | null): string {
  if (seconds === null) return UNKNOWN;
  return seconds > LONGEST_SEC ? "never" : durationText(seconds);
}

/** The same in ever fewer words; the first that fits is shown. */
export type Words = readonly [string, ...string[]];

export const briefest = (words: Words): string => words.at(-1) ?? words[0];

export function backlogWords({ figures: { backlog, unacked } }: ProgramView): Words {
  if (backlog === null) return [UNKNOWN];
  const brief = `${grouped(backlog)} message${backlog === 1 ? "" : "s"}`;
  return unacked === null ? [brief] : [`${brief} (${grouped(unacked)} unacked)`, brief];
}

export function lambdaWords({ arrivingPerSec, figures: { lambdaLowPerSec, lambdaHighPerSec } }: ProgramView): Words {
  if (arrivingPerSec === null) return [UNKNOWN];
  const brief = `${grouped(arrivingPerSec)}/s arriving`;
  return lambdaLowPerSec === null || lambdaHighPerSec === null
    ? [brief]
    : [`${brief} (${grouped(lambdaLowPerSec)} to ${grouped(lambdaHighPerSec)})`, brief];
}

export const doneWords = ({ donePerSec }: ProgramView): Words => [
  donePerSec === null ? UNKNOWN : `${grouped(donePerSec)}/s finished`,
];

const SOURCES = ["", ", broker", ", inferred"];

export function muWords({ figures: { muPerSec, muSource, muLowPerSec, muHighPerSec } }: ProgramView): Words {
  if (muPerSec === null) return ["unknown yet"];
  const brief = `${grouped(muPerSec)}/s a worker`;
  const sourced = brief + (SOURCES[muSource ?? 0] ?? "");
  return muLowPerSec === null || muHighPerSec === null
    ? [sourced, brief]
    : [`${sourced} (${grouped(muLowPerSec)} to ${grouped(muHighPerSec)})`, sourced, brief];
}

export function memoryWords({ figures: { poolBytes, budgetBytes, workerBytes } }: ProgramView): Words {
  if (poolBytes === null) return [UNKNOWN];
  const brief = partText(poolBytes, budgetBytes);
  return workerBytes === null ? [brief] : [`${brief}, ${bytesText(workerBytes)} a worker`, brief];
}

/** `11 of 12 GiB`: the unit once where it is the same. */
function partText(part: number, whole: number | null): string {
  if (whole === null) return bytesText(part);
  const [partUnit, wholeUnit] = [part, whole].map((bytes) => bytesText(bytes).replace(/^\S+ /, ""));
  const shown = bytesText(part);
  return `${partUnit === wholeUnit ? shown.replace(/ .*$/, "") : shown} of ${bytesText(whole)}`;
}
