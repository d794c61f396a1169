// What Linux says of a process: CPU time it has used, memory it holds, children it has.
import { readdirSync, readFileSync } from "node:fs";
import { nowMs, sleep } from "./wait.mjs";

const TICKS_PER_SEC = 100;

const fieldsOfStat = (pid) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** CPU seconds as `ps` shows them: utime + stime, in steps of 10 ms. */
export function cpuSecFromStat(pid) {
  const fields = fieldsOfStat(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
}

/** CPU seconds of all its threads, in nanosecond steps; `null` on a kernel without schedstat. */
export function cpuSecFromSchedstat(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).reduce(
      (sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]) / 1e9,
      0,
    );
  } catch {
    return null;
  }
}

/** Fraction of one core that each of these processes used over `seconds`. */
export async function cpuShares(pids, seconds) {
  const read = () => pids.map((pid) => ({ stat: cpuSecFromStat(pid), fine: cpuSecFromSchedstat(pid) }));
  const before = read();
  const from = nowMs();
  await sleep(seconds * 1000);
  const after = read();
  const elapsedSec = (nowMs() - from) / 1000;
  return pids.map((pid, i) => ({
    pid,
    seconds: elapsedSec,
    stat: (after[i].stat - before[i].stat) / elapsedSec,
    fine: after[i].fine === null ? null : (after[i].fine - before[i].fine) / elapsedSec,
  }));
}

export function rssMb(pid) {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1]) / 1024;
}

/** Pids of its living children. */
export function childrenOf(pid) {
  const children = [];
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const list = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim();
    if (list !== "") children.push(...list.split(" ").map(Number));
  }
  return children;
}

export function alive(pid) {
  try {
    return fieldsOfStat(pid)[0] !== "Z";
  } catch {
    return false;
  }
}
