/**
 * Who may kill the daemon before its workers have drained, and whether it is process 1. DESIGN 7.10.
 *
 * Asked from a shell this is about the daemon only as far as both live in the same place.
 */
import { readFileSync } from "node:fs";
import { stopSec } from "../service-manager/stop-limit.ts";
import { statOf } from "./access.ts";
import { ok, skipped, type Verdict, warning } from "./verdicts.ts";

const SUBJECT = "stop limit";

interface Keeper {
  readonly name: string;
  /** Seconds from the stop signal to SIGKILL, where nothing else is configured. */
  readonly defaultSec: number;
  readonly remedy: (sec: number) => string;
}

const SYSTEMD: Keeper = { name: "systemd", defaultSec: 90, remedy: (sec) => `in the unit: TimeoutStopSec=${sec}` };
const KUBERNETES: Keeper = {
  name: "Kubernetes",
  defaultSec: 30,
  remedy: (sec) => `in the pod: terminationGracePeriodSeconds: ${sec}`,
};
const CONTAINER: Keeper = {
  name: "a container engine such as Docker",
  defaultSec: 10,
  remedy: (sec) => `docker run --stop-timeout ${sec}, or in Compose stop_grace_period: ${sec}s`,
};

export interface Place {
  readonly env: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Folder above `proc` and what container engines leave in the root. */
  readonly root: string;
}

export function checkStopLimit(drainTimeoutSec: number, place: Place): Verdict {
  const keeper = keeperIn(place);
  const needed = stopSec(drainTimeoutSec);
  const why = `workers have ${drainTimeoutSec} s to drain (drain_timeout)`;
  if (keeper === undefined) {
    const remedy = `whatever is to run effiqueue must wait ${needed} s before SIGKILL: ${SYSTEMD.remedy(needed)}; ${CONTAINER.remedy(needed)}`;
    return skipped(SUBJECT, `${why}, and no service manager is to be seen from here`, remedy);
  }
  const { name, defaultSec, remedy } = keeper;
  const found = `${why}; ${name} kills after ${defaultSec} s unless it was told otherwise`;
  return needed > defaultSec ? warning(SUBJECT, found, remedy(needed)) : ok(SUBJECT, found);
}

function keeperIn({ env, root }: Place): Keeper | undefined {
  if (env["KUBERNETES_SERVICE_HOST"] !== undefined) return KUBERNETES;
  if (isContainer(root)) return CONTAINER;
  return env["NOTIFY_SOCKET"] !== undefined || env["INVOCATION_ID"] !== undefined ? SYSTEMD : undefined;
}

const isContainer = (root: string): boolean =>
  [".dockerenv", "run/.containerenv"].some((mark) => statOf(`${root}/${mark}`) !== undefined);

/** Orphans of workers become children of process 1, and Node does not reap children that it did not start. */
export function checkFirstProcess({ pid, root }: Place): readonly Verdict[] {
  const argv = argvOf(root, 1);
  if (argv === undefined && pid !== 1) return [];
  const [command = "", script = ""] = argv ?? [];
  const isNode = /(^|\/)node(js)?$/.test(command);
  if (pid !== 1 && !OURS.test(isNode ? script : command)) return [ok("process 1", command)];
  const found = "effiqueue itself, so that processes which workers leave behind stay as zombies";
  return [warning("process 1", found, "docker run --init, in Compose init: true, or an init such as tini in front")];
}

const OURS = /(^|\/)effiqueue(\/dist\/cli\/main\.js)?$/;

/** `undefined`: it cannot be seen. */
function argvOf(root: string, pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`${root}/proc/${pid}/cmdline`, "utf8");
    return text === "" ? undefined : text.split("\0");
  } catch {
    return undefined;
  }
}
