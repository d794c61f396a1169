/**
 * Memory on systems without /proc, as far as it can be told; the rest is unknown and limits nothing. DESIGN 7.5, 7.6.
 */
import { execFile } from "node:child_process";
import { freemem, totalmem } from "node:os";
import type { HostMemory } from "./machine-memory.ts";

export async function hostWithoutProc(): Promise<HostMemory> {
  const unknown = { totalBytes: totalmem(), availableBytes: null, swapTotalBytes: null, swapUsedBytes: null };
  // Elsewhere what is free leaves out the cache that could be had, and would forbid all growth.
  if (process.platform === "win32") return { ...unknown, availableBytes: freemem() };
  if (process.platform !== "darwin") return unknown;
  const [pages, swap] = await Promise.all([output("vm_stat", []), output("sysctl", ["-n", "vm.swapusage"])]);
  return { ...unknown, availableBytes: availableIn(pages), ...swapIn(swap) };
}

/** Resident sizes: without /proc nobody tells how pages are shared. */
export async function groupsWithoutProc(leaders: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (leaders.length === 0 || process.platform === "win32") return new Map();
  return groupsIn(await output("ps", ["-axo", "pgid=,stat=,rss="]), new Set(leaders));
}

/** @param table lines of group, state and KiB */
export function groupsIn(table: string, leaders: ReadonlySet<number>): ReadonlyMap<number, number> {
  const groupBytes = new Map<number, number>();
  for (const line of table.split("\n")) {
    const [, group, state, kib] = /^\s*(\d+)\s+(\S+)\s+(\d+)\s*$/.exec(line) ?? [];
    if (state === undefined || state.startsWith("Z") || !leaders.has(Number(group))) continue;
    groupBytes.set(Number(group), (groupBytes.get(Number(group)) ?? 0) + Number(kib) * 1024);
  }
  return groupBytes;
}

/** @param pages what `vm_stat` of macOS prints */
export function availableIn(pages: string): number | null {
  const pageSize = Number(/page size of (\d+) bytes/.exec(pages)?.[1]);
  const [free, inactive] = ["free", "inactive"].map((kind) =>
    Number(new RegExp(`^Pages ${kind}: +(\\d+)\\.`, "m").exec(pages)?.[1]),
  );
  const bytes = pageSize * ((free ?? Number.NaN) + (inactive ?? Number.NaN));
  return Number.isFinite(bytes) ? bytes : null;
}

/** @param usage what `sysctl vm.swapusage` of macOS prints */
export function swapIn(usage: string): Pick<HostMemory, "swapTotalBytes" | "swapUsedBytes"> {
  const mebibytes = (name: string): number | null => {
    const digits = new RegExp(`${name} = (\\d+(?:[.,]\\d+)?)M`).exec(usage)?.[1]?.replace(",", ".");
    return digits === undefined ? null : Math.round(Number(digits) * 1024 ** 2);
  };
  return { swapTotalBytes: mebibytes("total"), swapUsedBytes: mebibytes("used") };
}

/** What a command prints; nothing when it fails. */
function output(command: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = {
      encoding: "utf8",
      timeout: 2_000,
      maxBuffer: 16 * 1024 ** 2,
      env: { ...process.env, LC_ALL: "C" },
    } as const;
    execFile(command, args, options, (error, stdout) => resolve(error === null ? stdout : ""));
  });
}
