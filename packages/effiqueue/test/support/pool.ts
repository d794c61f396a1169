/** A pool as the tests want it: real clock, real back-off, everything it says on record, everything it started gone at the end. */
import { onTestFinished } from "vitest";
import type { WorkerPoolOptions, WorkerSettings } from "../../src/act/options.ts";
import { type ManagedPool, openWorkerPool } from "../../src/act/pool.ts";
import { crashBackoff } from "../../src/decide/shared/crash-backoff.ts";
import { systemClock } from "../../src/loop/clock.ts";
import { OBEDIENT } from "./processes.ts";
import { Recorder } from "./recorder.ts";

export interface TestPool {
  readonly pool: ManagedPool;
  readonly events: Recorder;
  readonly pids: () => number[];
}

/** @param options a `command` is the same for all workers */
export function openTestPool({
  command = OBEDIENT,
  output = { stdout: "ignore", stderr: "ignore" },
  ...options
}: Partial<WorkerPoolOptions & WorkerSettings> = {}): TestPool {
  const events = new Recorder();
  const pool = openWorkerPool({
    program: "test",
    worker: () => ({ command, output }),
    drainTimeoutMs: 30_000,
    backoff: crashBackoff,
    clock: systemClock,
    reporter: events,
    ...options,
  });
  onTestFinished(() => {
    pool.killAll();
    pool.close();
  });
  return { pool, events, pids: () => pool.snapshot().map(({ identity }) => identity.pid) };
}
