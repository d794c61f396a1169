/**
 * One look at the memory for all programs: a scan of the machine costs milliseconds, and programs that share a budget must
 * see the same machine. DESIGN 7.7.
 */
import type { MachineReading } from "../model/machine.ts";
import type { MeasuredWorker, MemoryReading } from "../model/observation.ts";
import type { Clock, MemoryProbe, WorkerPool } from "../model/ports.ts";
import { type MonotonicMs, msToSec } from "../units.ts";
import { Bounded, OVERDUE } from "./bounded.ts";
import { readTimeoutMs } from "./program-options.ts";

/** The machine at one moment, with what each pool took of it at that very moment: who has come or gone since is in neither. */
export interface MemoryLook {
  readonly machine: MachineReading;
  /** Of all pools together. */
  readonly poolsBytes: number;
  memoryOf(pool: WorkerPool): MemoryReading;
}

/** Programs that are woken together share a look; longer than that, memory has moved. */
const FRESH_MS = 1_000;

export class MemoryLooks {
  readonly #probe: MemoryProbe;
  readonly #pools: ReadonlySet<WorkerPool>;
  readonly #clock: Clock;
  readonly #reads: Bounded;
  readonly #freshMs: number;
  #latest: { readonly at: MonotonicMs; readonly look: Promise<MemoryLook | null> } | null = null;

  /** @param pools may change meanwhile */
  constructor(probe: MemoryProbe, pools: ReadonlySet<WorkerPool>, clock: Clock, pollIntervalMs: number) {
    this.#probe = probe;
    this.#pools = pools;
    this.#clock = clock;
    this.#reads = new Bounded(clock, readTimeoutMs(pollIntervalMs));
    this.#freshMs = Math.min(FRESH_MS, pollIntervalMs / 2);
  }

  /** The one under way or just taken, else a new one; `null`: memory could not be read. Never rejects. */
  look(): Promise<MemoryLook | null> {
    const at = this.#clock.monotonicMs();
    if (this.#latest === null || at - this.#latest.at >= this.#freshMs) this.#latest = { at, look: this.#take() };
    return this.#latest.look;
  }

  async #take(): Promise<MemoryLook | null> {
    const now = this.#clock.monotonicMs();
    const leaders: Leaders = new Map(
      [...this.#pools].map((pool) => [
        pool,
        pool.snapshot().map(({ identity, startedAt }) => ({ pid: identity.pid, ageSec: msToSec(now - startedAt) })),
      ]),
    );
    try {
      const machine = await this.#reads.run(() => this.#probe.read([...leaders.values()].flat().map(({ pid }) => pid)));
      return machine === OVERDUE ? null : lookOf(machine, leaders);
    } catch {
      return null;
    }
  }
}

type Leaders = ReadonlyMap<WorkerPool, readonly Omit<MeasuredWorker, "bytes">[]>;

function lookOf(machine: MachineReading, leaders: Leaders): MemoryLook {
  const { totalBytes, usedBytes, swapUsedBytes, swapTotalBytes, pressure, limitedBy, groupBytes } = machine;
  const bytesOf = ({ pid }: { readonly pid: number }): number => groupBytes.get(pid) ?? 0;
  return {
    machine,
    poolsBytes: sumOf([...leaders.values()].flat().map(bytesOf)),
    memoryOf: (pool) => {
      const workers = (leaders.get(pool) ?? []).map((each) => ({ ...each, bytes: bytesOf(each) }));
      const sizes = workers.map(({ bytes }) => bytes);
      const ofPool = { poolBytes: sumOf(sizes), largestWorkerBytes: Math.max(0, ...sizes), workers };
      return { totalBytes, usedBytes, ...ofPool, swapUsedBytes, swapTotalBytes, pressure, limitedBy };
    },
  };
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, each) => sum + each, 0);
