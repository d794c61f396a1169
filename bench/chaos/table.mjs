// The processes of a scene as the kernel lists them, found by a mark in their environment; zombies are dead.
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

const NAME = "CHAOS_MARK";

export function newTable() {
  const mark = randomUUID();
  const living = () =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name) => processOf(name, `${NAME}=${mark}`));
  return {
    env: { [NAME]: mark },
    /** `{ pid, group, worker }`; `worker`: its EFFIQUEUE_WORKER, `undefined` for a daemon. */
    living,
    /** Leaders of groups that run as workers. */
    workers: () => living().filter(({ pid, group, worker }) => worker !== undefined && pid === group),
    killAll: () => {
      for (const { pid } of living()) signal(pid, "SIGKILL");
    },
  };
}

function processOf(name, mark) {
  try {
    const environment = readFileSync(`/proc/${name}/environ`, "latin1").split("\0");
    if (!environment.includes(mark)) return [];
    const stat = readFileSync(`/proc/${name}/stat`, "latin1");
    const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return [];
    const worker = environment.find((each) => each.startsWith("EFFIQUEUE_WORKER="))?.slice("EFFIQUEUE_WORKER=".length);
    return [{ pid: Number(name), group: Number(group), worker }];
  } catch {
    return []; // it has ended meanwhile
  }
}

/** To a process, or with a negative number to a group, that may have ended. */
export function signal(pid, name) {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
