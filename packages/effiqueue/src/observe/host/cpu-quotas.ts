/**
 * What the control groups around us allow of processors, and what they have used. DESIGN 7.11.
 */
import { readSmallFile } from "./files.ts";
import type { Groups } from "./places.ts";
import { bytesIn, fieldIn } from "./texts.ts";

/** A control group that limits time on processors. */
export interface CpuQuota {
  readonly folder: string;
  /** Processors that the quota is worth. */
  readonly count: number;
  /** Seconds of processor time that it has used since it exists; `null`: unknown. */
  readonly usedSec: number | null;
}

/** @param accounts hierarchies in which version 1 counts what is used; mostly the same one */
export function cpuQuotas(root: string, quotas: readonly Groups[], accounts: readonly Groups[]): readonly CpuQuota[] {
  return quotas.flatMap(({ version, folders }) =>
    folders.flatMap((folder, i): readonly CpuQuota[] => {
      const file = (name: string): string | undefined => readSmallFile(`${root}${folder}/${name}`);
      if (version === 2) {
        const count = quotaIn(file("cpu.max"));
        return count === null ? [] : [{ folder, count, usedSec: scaled(fieldIn(file("cpu.stat"), "usage_usec"), 1e6) }];
      }
      const count = quotaIn(`${file("cpu.cfs_quota_us")?.trim()} ${file("cpu.cfs_period_us")?.trim()}`);
      if (count === null) return [];
      // Two hierarchies of different depth are not about the same group.
      const own = accounts.find((each) => each.version === 1 && each.folders.length === folders.length);
      const used = own && bytesIn(readSmallFile(`${root}${own.folders[i] ?? ""}/cpuacct.usage`));
      return [{ folder, count, usedSec: scaled(used ?? null, 1e9) }];
    }),
  );
}

/** `QUOTA PERIOD` in microseconds; `max`, -1, nothing and nought are no limit. */
export function quotaIn(text: string | undefined): number | null {
  const [, quota, period] = /^\s*(\d+) (\d+)\s*$/.exec(text ?? "") ?? [];
  const count = Number(quota) / Number(period);
  return count > 0 && Number.isFinite(count) ? count : null;
}

const scaled = (value: number | null, unit: number): number | null => (value === null ? null : value / unit);
