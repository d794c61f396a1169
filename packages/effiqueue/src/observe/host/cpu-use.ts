/**
 * How many processors we may use, and how busy they were since the look before. DESIGN 7.11.
 */
import type { CpuReading } from "../../model/observation.ts";
import type { CpuQuota } from "./cpu-quotas.ts";

/** Time that the processors have spent, in any unit, since the machine started. */
export interface CpuTimes {
  readonly busy: number;
  readonly total: number;
}

/** The processors that our processes may run on. */
export interface HostCpus {
  readonly count: number | null;
  readonly times: CpuTimes | null;
  readonly limitedBy: "host" | "affinity";
}

interface Look {
  readonly atMs: number;
  readonly times: CpuTimes | null;
  readonly usedSec: ReadonlyMap<string, number>;
}

/** The kernel counts in hundredths of a second: less time than this says more about chance than about the load. */
const LEAST_MS = 500;

export class CpuUse {
  #before: Look | undefined;
  #busyShare: number | null = null;

  look(host: HostCpus, quotas: readonly CpuQuota[], nowMs: number): CpuReading {
    const tight = quotas.filter(({ count }) => count < (host.count ?? Number.POSITIVE_INFINITY));
    const narrowest = tight.reduce<CpuQuota | undefined>(
      (least, each) => (least === undefined || each.count < least.count ? each : least),
      undefined,
    );
    this.#measure(host.times, tight, nowMs);
    return {
      count: narrowest?.count ?? host.count,
      busyShare: this.#busyShare,
      limitedBy: narrowest?.folder ?? host.limitedBy,
    };
  }

  #measure(times: CpuTimes | null, quotas: readonly CpuQuota[], atMs: number): void {
    const before = this.#before;
    if (before !== undefined && atMs - before.atMs < LEAST_MS) return;
    const known = quotas.flatMap(({ folder, usedSec }) => (usedSec === null ? [] : [[folder, usedSec] as const]));
    this.#before = { atMs, times, usedSec: new Map(known) };
    if (before !== undefined) this.#busyShare = busyShare(before, this.#before, quotas);
  }
}

/** The machine may be full while our own quota is not, and the other way round: what cannot be had is in use. */
function busyShare(before: Look, now: Look, quotas: readonly CpuQuota[]): number | null {
  const elapsedSec = (now.atMs - before.atMs) / 1000;
  const shares = quotas.map(({ folder, count }) => used(before, now, folder) / (count * elapsedSec));
  if (before.times !== null && now.times !== null) {
    shares.push((now.times.busy - before.times.busy) / (now.times.total - before.times.total));
  }
  const known = shares.filter((share) => Number.isFinite(share) && share >= 0);
  return known.length === 0 ? null : Math.min(1, Math.max(...known));
}

const used = (before: Look, now: Look, folder: string): number =>
  (now.usedSec.get(folder) ?? Number.NaN) - (before.usedSec.get(folder) ?? Number.NaN);
