/** First of all: can this machine keep what was promised, and if not, what would change that. DESIGN 6.8. Pure. */
import { counted, durationText, isOrAre } from "../explain-words.ts";
import { wrap } from "./cells.ts";
import type { Line } from "./line.ts";
import type { ProgramView } from "./view.ts";

/** Each sentence in as many lines as it takes or, where there is no room for that, in one that may be cut. */
export function verdict(view: ProgramView, columns: number, isTight: boolean): Line[] {
  const { gap } = view;
  const parts = (text: string, room: number): string[] => (isTight ? [text] : wrap(text, room));
  if (gap === null) return parts(calm(view), columns - 1).map((text) => [{ text: ` ${text}`, ink: "strong" }]);
  return [gap.missing, gap.drain, `To close it: ${gap.remedy}.`]
    .flatMap((sentence) => parts(sentence, columns - CHIP.length - 1))
    .map((text, index) => [
      index === 0 ? { text: CHIP, ink: "alarm" } : { text: " ".repeat(CHIP.length) },
      { text: ` ${text}`, ink: "strong" },
    ]);
}

const CHIP = " GAP ";

/** The verdict in a few words. */
export function briefVerdict({ gap, figures: { gapWorkers, needed, capacity } }: ProgramView): Line | null {
  if (gap !== null) return [{ text: "GAP", ink: "alarm" }, { text: ` ${gapWorkers ?? 0} missing` }];
  return needed === null ? null : [{ text: `${needed} needed, ${capacity ?? 0} fit` }];
}

function calm(view: ProgramView): string {
  const { mode, drainSec, decisions, figures, sloGoal, sloSec } = view;
  const { needed, capacity, workers, oldestAgeSec } = figures;
  if (mode !== "slo") return decisions[0]?.why ?? "No decision yet.";
  if (needed === null) return "What the SLO takes is not known yet.";
  const takes = `${counted(needed, "worker")} ${isOrAre(needed)} needed`;
  const counts = `${takes}, ${capacity ?? 0} fit, ${workers ?? 0} run`;
  const now = sloGoal === "wait" ? oldestAgeSec : drainSec;
  if (sloSec === null || now === null || now <= sloSec) return `No gap: ${counts}.`;
  return `No gap, but behind: ${counts}; not all are there yet that ${durationText(sloSec)} take.`;
}
