/**
 * The last decisions of a program. Ticks that decide the same are one entry with a count, or an hour of standing still would
 * push out the change that somebody wants explained. DESIGN 6.5.
 */
import type { TickRecord } from "../model/tick-record.ts";
import type { DecisionEntry, GapStatus, MemoryStatus, Unreadable } from "./api-types.ts";
import { isoTime, measured } from "./measured.ts";

const MOST_ENTRIES = 200;

export class DecisionLog {
  readonly #entries: DecisionEntry[] = [];

  add(record: TickRecord, unreadable: Unreadable | null): void {
    const entry = entryOf(record, unreadable);
    const before = this.#entries.at(-1);
    if (before !== undefined && isSame(before, entry)) {
      this.#entries[this.#entries.length - 1] = { ...entry, firstAt: before.firstAt, times: before.times + 1 };
      return;
    }
    this.#entries.push(entry);
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift();
  }

  get latest(): DecisionEntry | null {
    return this.#entries.at(-1) ?? null;
  }

  /** The last `count`, oldest first. */
  last(count: number): readonly DecisionEntry[] {
    return count === 0 ? [] : this.#entries.slice(-count);
  }
}

const isSame = (a: DecisionEntry, b: DecisionEntry): boolean =>
  a.action === b.action && a.desiredWorkers === b.desiredWorkers && a.reason === b.reason;

function entryOf(record: TickRecord, unreadable: Unreadable | null): DecisionEntry {
  const { at, decision, observation, backoffSec } = record;
  const stamp = isoTime(at);
  return {
    firstAt: stamp,
    lastAt: stamp,
    times: 1,
    currentWorkers: decision.current,
    desiredWorkers: decision.desired,
    action: decision.action,
    reason: decision.reason,
    trail: decision.trail,
    rationale: decision.rationale,
    ready: measured(observation.queue?.ready),
    unacked: measured(observation.queue?.unacked),
    unreadable,
    neededWorkers: decision.needed,
    capacityWorkers: measured(decision.capacity),
    boundBy: decision.boundBy,
    gap: gapOf(decision.gap),
    muPerSec: measured(decision.mu),
    lambdaPerSec: measured(decision.lambda),
    muIntervalPerSec: decision.muInterval,
    lambdaIntervalPerSec: decision.lambdaInterval,
    muSource: decision.muSource,
    probing: decision.probing,
    spread: measured(decision.spread),
    memory: memoryOf(record),
    spawnBackoffSec: backoffSec,
  };
}

function gapOf(gap: TickRecord["decision"]["gap"]): GapStatus | null {
  if (gap === null) return null;
  return { ...gap, bestDrainSec: Number.isFinite(gap.bestDrainSec) ? gap.bestDrainSec : "infinite" };
}

export function memoryOf({ observation: { memory }, decision, budgetBytes }: TickRecord): MemoryStatus | null {
  const budget = measured(budgetBytes);
  if (memory == null && budget === null) return null;
  const largest = measured(memory?.largestWorkerBytes);
  return {
    totalBytes: measured(memory?.totalBytes),
    limitedBy: memory?.limitedBy ?? null,
    usedBytes: measured(memory?.usedBytes),
    swapTotalBytes: measured(memory?.swapTotalBytes),
    swapUsedBytes: measured(memory?.swapUsedBytes),
    pressure: measured(memory?.pressure),
    poolBytes: measured(memory?.poolBytes),
    // 0 says that there is no worker to measure, not that one is free.
    workerBytes: largest === 0 ? null : largest,
    reservedBytes: measured(decision.workerBytes),
    budgetBytes: budget,
  };
}
