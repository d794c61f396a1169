/**
 * Whether systemd waits for the drain before it kills: a limit that is too short is found out at the worst moment otherwise.
 * DESIGN 7.17.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Reporter } from "../../model/ports.ts";

/** What a shutdown takes besides the drain. */
const MARGIN_SEC = 5;

/** Seconds that whoever keeps us has to wait after the stop signal before it kills. */
export const stopSec = (drainTimeoutSec: number): number => Math.ceil(drainTimeoutSec + MARGIN_SEC);

const UNIT_SEC: Readonly<Record<string, number>> = {
  us: 1e-6,
  ms: 1e-3,
  s: 1,
  min: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
};

export interface Unit {
  readonly name: string;
  readonly ofUser: boolean;
}

/** @param membership `/proc/self/cgroup`; `null`: we are no service */
export function unitIn(membership: string): Unit | null {
  for (const line of membership.split("\n")) {
    const [, path = ""] = /^(?:0:|\d+:name=systemd):(\/.*\.service)$/.exec(line) ?? [];
    const name = path.split("/").at(-1) ?? "";
    if (name !== "") return { name, ofUser: /\/user@\d+\.service\//.test(path) };
  }
  return null;
}

/** @param text as systemd prints it: `1min 30s`, `infinity`; `null`: it is no span of time */
export function secondsIn(text: string): number | null {
  const words = text.trim();
  if (words === "infinity") return Number.POSITIVE_INFINITY;
  if (!/^\d+[a-z]+( \d+[a-z]+)*$/.test(words)) return null;
  const parts = words
    .split(" ")
    .map((word) => Number.parseInt(word, 10) * (UNIT_SEC[word.replace(/^\d+/, "")] ?? Number.NaN));
  const sum = parts.reduce((total, each) => total + each, 0);
  return Number.isNaN(sum) ? null : sum;
}

/** Says so as soon as systemd has answered; nobody waits for that. */
export function warnOfStopLimit(drainTimeoutSec: number, reporter: Reporter): void {
  void stopLimitWarning(drainTimeoutSec).then((text) => {
    if (text !== null) reporter.emit("app.config.warned", { text });
  });
}

/** `null`: it waits long enough, or nobody says how long. Never rejects. */
export async function stopLimitWarning(
  drainTimeoutSec: number,
  membership = ownMembership(),
  ask = askSystemd,
): Promise<string | null> {
  const unit = unitIn(membership);
  if (unit === null) return null;
  const limitSec = secondsIn(await ask(unit));
  const neededSec = stopSec(drainTimeoutSec);
  if (limitSec === null || limitSec >= neededSec) return null;
  return `systemd kills ${unit.name} ${limitSec} s after it was told to stop, and its workers may take ${drainTimeoutSec} s to drain; in the unit: TimeoutStopSec=${neededSec}`;
}

function ownMembership(): string {
  try {
    return readFileSync("/proc/self/cgroup", "utf8");
  } catch {
    return "";
  }
}

/** Nothing where there is no answer within two seconds. */
function askSystemd({ name, ofUser }: Unit): Promise<string> {
  const flags = ["show", "--property=TimeoutStopUSec", "--value", ...(ofUser ? ["--user"] : []), "--", name];
  return new Promise((resolve) => {
    execFile("systemctl", flags, { timeout: 2_000 }, (error, stdout) => resolve(error === null ? stdout : ""));
  });
}
