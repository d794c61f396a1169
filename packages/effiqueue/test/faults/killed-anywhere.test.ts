import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readProcStat } from "../../src/act/platform/identity.ts";
import { type Mark, newMark } from "../support/marked.ts";
import { openTestPool } from "../support/pool.ts";
import { sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { until } from "../support/until.ts";
import { waitFor } from "../support/wait-for.ts";

const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** The shell stays the leader, so that the command line is the one it was started with. */
const SLEEP = "sleep 600; true";

interface Life {
  /** Signal or exit code. */
  readonly end: unknown;
  readonly points: readonly string[];
}

/** The fixture's pool, to be killed at a point of its life; `undefined`: at none. Resolves with the points that it has passed. */
async function live(stateDir: string, at: number | undefined, env: Readonly<Record<string, string>>): Promise<Life> {
  const log = join(tempDir(), "points");
  const { NODE_EXTRA_CA_CERTS: _, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    ["--import", fixture("fault-points.mjs"), fixture("life.mjs"), stateDir, SLEEP],
    {
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...inherited,
        ...env,
        FAULT_UNDER: stateDir,
        FAULT_LOG: log,
        ...(at === undefined ? {} : { FAULT_AT: String(at) }),
      },
    },
  );
  const end = await new Promise((resolve) => child.once("exit", (code, signal) => resolve(signal ?? code)));
  return { end, points: readFileSync(log, "utf8").trimEnd().split("\n") };
}

const KINDS = [
  "before mkdirSync ",
  "amid writing /workers.json.new",
  "after spawn",
  "after kill SIGSTOP",
  "after kill SIGTERM",
  "before renameSync /lock.1.released",
];

/** Most of the time is waiting: for the ends of workers that are nobody's children. */
const LANES = 6;
const PATIENCE = { timeout: 240_000 };

const leaders = (pids: readonly number[]): number[] =>
  pids.filter((pid) => readProcStat(pid)?.groupId === pid).toSorted();

/** What is left is one pool of a successor: nobody beside it, nobody twice, and nothing of it when it ends. */
async function expectSucceeded(stateDir: string, { env, living }: Mark): Promise<void> {
  const { pool, events, pids } = openTestPool({ stateDir, command: sh(SLEEP, env) });
  // As the loop does at each tick: who had the signal when the pool was killed is missed when it has ended.
  await until(async () => {
    await pool.resize(2);
    const { serving, draining } = pool.counts();
    return serving === 2 && draining === 0 && String(leaders(living())) === String(pids().toSorted());
  });
  expect(events.of("act.worker.stray_ignored")).toEqual([]);
  await pool.shutdown();
  await waitFor(() => living().length === 0, { what: "the end of everything" });
}

describe("DESIGN 4.7, 4.8: a pool that is killed at any step of its life", () => {
  it(
    "leaves a successor everything: at each write, spawn and signal, from the lock to its release",
    PATIENCE,
    async () => {
      const { end, points } = await live(join(tempDir(), "state"), undefined, {});
      expect(end).toBe(0);
      // All kinds of steps are among them, or this would prove nothing.
      expect(points).toEqual(expect.arrayContaining(KINDS));
      const next = points.entries();
      let kills = 0;
      const lane = async (): Promise<void> => {
        for (const [at, name] of next) if (await killedAt(at + 1, name)) kills += 1;
      };
      await Promise.all(Array.from({ length: LANES }, lane));
      expect(kills).toBeGreaterThan(0.8 * points.length);
    },
  );
});

/** False: this life had fewer points, for two ends of workers were written down at once, and ended well. */
async function killedAt(at: number, name: string): Promise<boolean> {
  const stateDir = join(tempDir(), "state");
  const mark = newMark();
  try {
    const { end, points } = await live(stateDir, at, mark.env);
    expect(end).toBe(points.length < at ? 0 : "SIGKILL");
    await expectSucceeded(stateDir, mark);
    return end !== 0;
  } catch (cause) {
    throw new Error(`killed ${name} (point ${at})`, { cause });
  }
}
