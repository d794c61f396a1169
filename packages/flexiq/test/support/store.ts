/** Stores, jobs, workers and time for tests. */

import { join } from "node:path";
import { type MonotonicMs, ownIdentity, type WallMs } from "effiqueue";
import { onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import type { ExchangeRequest, ExchangeResult, NewJob, WorkerRegistration } from "../../src/model.ts";
import type { StoreOptions, TimeSource } from "../../src/store/options.ts";
import { Store } from "../../src/store/store.ts";

/** Opens a store that is closed after the test; in a folder of its own unless `dbPath` says where. */
export function openStore(options: Partial<StoreOptions> = {}): Store {
  const store = Store.open({ dbPath: join(tempDir(), "queue.db"), ...options });
  onTestFinished(() => store.close());
  return store;
}

export function aJob(fields: Partial<NewJob> = {}): NewJob {
  return {
    task: "work",
    queue: "default",
    argsJson: "[]",
    priority: 0,
    runAtMs: null,
    maxRetries: 3,
    timeoutMs: null,
    uniqueKey: null,
    retryBaseMs: 1000,
    retryMaxMs: 60_000,
    ...fields,
  };
}

export function aWorker(fields: Partial<WorkerRegistration> = {}): WorkerRegistration {
  return { identity: ownIdentity(), slots: 4, queues: null, ...fields };
}

/** An exchange that says nothing but what matters to the test. */
export function exchange(
  store: Store,
  workerId: number,
  request: Partial<ExchangeRequest> = {},
): Promise<ExchangeResult> {
  return store.exchange({ workerId, outcomes: [], claim: 0, queues: null, ...request });
}

/** Clocks that tests set. */
export class FakeTime implements TimeSource {
  wall = 1_700_000_000_000;
  mono = 5_000_000;

  wallMs(): WallMs {
    return this.wall as WallMs;
  }

  monotonicMs(): MonotonicMs {
    return this.mono as MonotonicMs;
  }

  /** Time passes. */
  pass(ms: number): void {
    this.wall += ms;
    this.mono += ms;
  }

  /** Somebody sets the clock; no time passes. */
  setWall(byMs: number): void {
    this.wall += byMs;
  }
}
