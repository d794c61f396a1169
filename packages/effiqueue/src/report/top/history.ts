/**
 * What the viewer has seen so far, for its sparklines: one sample a tick, for nothing changes in between. Bounded. DESIGN 6.8. Pure.
 */
import type { HistoryReply } from "../api-types.ts";
import { drainSecOf } from "../drain-time.ts";
import type { ProgramView } from "./view.ts";

export interface PastTick {
  readonly at: string;
  readonly backlog: number | null;
  readonly arrivingPerSec: number | null;
  readonly muPerSec: number | null;
  readonly donePerSec: number | null;
  readonly drainSec: number | null;
  readonly oldestAgeSec: number | null;
}

/** By program; oldest first. */
export type History = ReadonlyMap<string, readonly PastTick[]>;

/** More than the widest terminal has columns. */
const MOST_TICKS = 500;

/** Programs that are gone are forgotten. */
export function remembered(history: History, views: readonly ProgramView[]): History {
  return new Map(views.map((view) => [view.program, withTick(history.get(view.program) ?? [], view)]));
}

function withTick(past: readonly PastTick[], view: ProgramView): readonly PastTick[] {
  const { lastTickAt: at, figures, arrivingPerSec, donePerSec, drainSec } = view;
  if (at === null || at === past.at(-1)?.at) return past;
  const { backlog, muPerSec, oldestAgeSec } = figures;
  return [...past.slice(1 - MOST_TICKS), { at, backlog, arrivingPerSec, muPerSec, donePerSec, drainSec, oldestAgeSec }];
}

/** What the daemon remembers of a program (`/api/history`), without its last tick, which is the present. */
export function pastOf({ ageSec, columns, now }: HistoryReply): readonly PastTick[] {
  const nowMs = Date.parse(now);
  return ageSec.slice(0, -1).map((age, index) => {
    const at = (column: readonly (number | null)[]): number | null => column[index] ?? null;
    const backlog = at(columns.backlog);
    const lambdaPerSec = at(columns.lambdaPerSec);
    const muPerSec = at(columns.muPerSec);
    return {
      at: new Date(nowMs - age * 1000).toISOString(),
      backlog,
      arrivingPerSec: lambdaPerSec,
      muPerSec,
      donePerSec: at(columns.finishedPerSec),
      drainSec: drainSecOf({ backlog, muPerSec, lambdaPerSec, workers: at(columns.runningWorkers) }),
      oldestAgeSec: null,
    };
  });
}
