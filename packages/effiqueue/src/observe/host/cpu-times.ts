/**
 * Which processors there are for us, and what they have spent their time on. DESIGN 7.11.
 */
import { availableParallelism, cpus } from "node:os";
import type { CpuTimes, HostCpus } from "./cpu-use.ts";

/**
 * @param stat `/proc/stat`
 * @param status `/proc/self/status`; workers inherit our processors
 */
export function hostCpus(stat: string | undefined, status: string | undefined): HostCpus {
  const online = timesIn(stat ?? "");
  const allowed = allowedIn(status ?? "");
  const ours = [...online].filter(
    ([number]) => allowed === null || allowed.some(([a, b]) => number >= a && number <= b),
  );
  if (ours.length === 0) return { count: availableParallelism(), times: null, limitedBy: "host" };
  return {
    count: ours.length,
    times: sumOf(ours.map(([, times]) => times)),
    limitedBy: ours.length < online.size ? "affinity" : "host",
  };
}

/** What Node tells of them on systems without /proc. */
export function hostCpusWithoutProc(): HostCpus {
  const times = cpus().map(({ times: { user, nice, sys, irq, idle } }): CpuTimes => {
    const busy = user + nice + sys + irq;
    return { busy, total: busy + idle };
  });
  return { count: availableParallelism(), times: times.length === 0 ? null : sumOf(times), limitedBy: "host" };
}

/** `cpu0 USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL ...`; what others stole is as good as in use. Offline ones have no line. */
function timesIn(stat: string): ReadonlyMap<number, CpuTimes> {
  const lines = stat.matchAll(/^cpu(\d+) ([\d ]+)$/gm);
  return new Map(
    [...lines].map(([, number, figures = ""]) => {
      const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0] = figures
        .trim()
        .split(/ +/)
        .map(Number);
      const busy = user + nice + system + irq + softirq + steal;
      return [Number(number), { busy, total: busy + idle + wait }];
    }),
  );
}

/** Ranges of numbers, first to last, as in `0-3,8`; `null`: unknown. */
function allowedIn(status: string): readonly (readonly [number, number])[] | null {
  const list = /^Cpus_allowed_list:\s*([\d,-]+)$/m.exec(status)?.[1];
  if (list === undefined) return null;
  return list.split(",").map((range) => {
    const [first, last = first] = range.split("-");
    return [Number(first), Number(last)];
  });
}

function sumOf(times: readonly CpuTimes[]): CpuTimes {
  return times.reduce((sum, { busy, total }) => ({ busy: sum.busy + busy, total: sum.total + total }));
}
