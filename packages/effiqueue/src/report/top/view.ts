/**
 * What the screen says of a program, put together from its figures (`/metrics`), its state and its decisions (`/api`). Nothing here
 * knows how it is drawn. DESIGN 6.8. Pure.
 */
import type { BoundBy } from "../../model/decision.ts";
import type { Mode } from "../../model/keys.ts";
import type { DecisionEntry, ProgramStatus, StatusReply } from "../api-types.ts";
import { drainSecOf } from "../drain-time.ts";
import { durationText } from "../explain-words.ts";
import { type GapWords, gapWords } from "../gap-words.ts";
import { silentAfterSec } from "../http/health.ts";
import { REASONS, whyOf } from "../reasons/reasons.ts";
import type { Settings } from "../spelling.ts";
import { troublesOf } from "../troubles.ts";
import { type Figures, NO_FIGURES } from "./figures.ts";

export interface ProgramView {
  readonly program: string;
  readonly mode: Mode;
  readonly state: ProgramStatus["state"];
  readonly minWorkers: number;
  readonly maxWorkers: number;
  readonly figures: Figures;
  /** drain: the queue is to be empty within `sloSec`; wait: no message is to wait longer; `null` in the modes without an SLO. */
  readonly sloGoal: ProgramStatus["sloGoal"];
  readonly sloSec: number | null;
  readonly boundBy: BoundBy | null;
  readonly settings?: Settings | undefined;
  /** Messages/s; estimated in `slo`, else as the broker counts them. */
  readonly arrivingPerSec: number | null;
  /** Messages/s that all workers finish, as the broker counts them. */
  readonly donePerSec: number | null;
  /** Until the queue is empty, with the workers that there are; `Infinity`: never. */
  readonly drainSec: number | null;
  readonly gap: GapWords | null;
  readonly troubles: readonly string[];
  /** Newest first. */
  readonly decisions: readonly DecisionView[];
  readonly lastTickAt: string | null;
}

export interface DecisionView {
  readonly at: string;
  readonly times: number;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
  readonly why: string;
}

/** @param decisions oldest first */
export function programView(
  status: ProgramStatus,
  decisions: readonly DecisionEntry[],
  figures: Figures | undefined = NO_FIGURES,
  { pollIntervalSec }: Pick<StatusReply, "pollIntervalSec">,
): ProgramView {
  const { program, mode, state, minWorkers, maxWorkers, sloGoal, decision, queue, lastTickAt, settings } = status;
  const boundBy = decision?.boundBy ?? null;
  return {
    program,
    mode,
    state,
    minWorkers,
    maxWorkers,
    figures,
    sloGoal,
    sloSec: sloSecOf(figures),
    boundBy,
    settings,
    arrivingPerSec: figures.lambdaPerSec ?? queue?.publishPerSec ?? null,
    donePerSec: queue?.ackPerSec ?? null,
    drainSec: drainSecOf(figures),
    gap: gapOf(status, figures, boundBy),
    troubles: [...silent(status, pollIntervalSec), ...troublesOf(status), ...probing(figures)],
    decisions: decisions.map((entry) => decisionView(entry, status)).reverse(),
    lastTickAt,
  };
}

const sloSecOf = ({ sloDrainSec, sloWaitSec }: Figures): number | null => sloDrainSec ?? sloWaitSec;

function gapOf(
  { decision, sloGoal, settings }: ProgramStatus,
  figures: Figures,
  boundBy: BoundBy | null,
): GapWords | null {
  const { gapWorkers, needed, capacity, bestDrainSec, muPerSec, lambdaPerSec } = figures;
  if (gapWorkers === null || gapWorkers <= 0 || boundBy === null) return null;
  const best = bestDrainSec === null || !Number.isFinite(bestDrainSec) ? "infinite" : bestDrainSec;
  return gapWords({
    neededWorkers: needed,
    capacityWorkers: capacity,
    boundBy,
    gap: { workers: gapWorkers, bytes: decision?.gap?.bytes ?? null, bestDrainSec: best },
    muPerSec,
    lambdaPerSec,
    sloGoal,
    sloSec: sloSecOf(figures),
    settings,
  });
}

function silent({ state, lastTickAgeSec }: ProgramStatus, pollIntervalSec: number): string[] {
  if (state === "starting") return ["No tick has ended yet."];
  if (lastTickAgeSec === null || lastTickAgeSec <= silentAfterSec(pollIntervalSec)) return [];
  return [`No tick for ${durationText(lastTickAgeSec)}: the control loop hangs; /healthz says so too.`];
}

const probing = ({ probing: isProbing }: Figures): string[] =>
  isProbing === 1 ? ["A probe: one worker less for a while, to learn how fast a worker is."] : [];

function decisionView(entry: DecisionEntry, status: ProgramStatus): DecisionView {
  const { lastAt, times, currentWorkers, desiredWorkers, reason, rationale } = entry;
  // A daemon that is newer than its viewer may have reasons that this one has no words for.
  const isKnown = Object.hasOwn(REASONS, reason);
  return {
    at: lastAt,
    times,
    from: currentWorkers,
    to: desiredWorkers,
    reason,
    why: isKnown ? whyOf(entry, status) : rationale,
  };
}
