/** Any order of operations, against a model that is too simple to be wrong. DESIGN 9.3. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JobState } from "../../src/lifecycle.ts";
import { JOB_STATES } from "../../src/lifecycle.ts";
import type { Census, ClaimedJob, Outcome } from "../../src/model.ts";
import type { Store } from "../../src/store/store.ts";
import { aJob, aWorker, exchange, FakeTime, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

const QUEUES = ["a", "b"] as const;

interface ModelJob {
  readonly id: number;
  readonly queue: string;
  readonly priority: number;
  readonly maxRetries: number;
  state: JobState;
  dueMs: number;
  attempts: number;
  cancelRequested: boolean;
}

type Step =
  | {
      readonly kind: "enqueue";
      readonly queue: string;
      readonly priority: number;
      readonly delayMs: number;
      readonly maxRetries: number;
    }
  | { readonly kind: "claim"; readonly count: number; readonly queues: readonly string[] | null }
  | { readonly kind: "finish"; readonly pick: number; readonly how: Outcome["kind"]; readonly retry: boolean }
  | { readonly kind: "cancel" | "retry"; readonly pick: number }
  | { readonly kind: "pause" | "resume"; readonly queue: string }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "leave" | "maintain" };

const queue = fc.constantFrom(...QUEUES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("enqueue" as const),
      queue,
      priority: fc.integer({ min: -1, max: 1 }),
      delayMs: fc.constantFrom(0, 0, 500, 2000),
      maxRetries: fc.nat(2),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("claim" as const),
      count: fc.nat(3),
      queues: fc.constantFrom(null, ["a"], ["b", "a"]),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("finish" as const),
      pick: fc.nat(),
      how: fc.constantFrom("completed", "failed", "failed", "cancelled", "released"),
      retry: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom("cancel" as const, "retry" as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("pause" as const, "resume" as const), queue }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(1, 499, 500, 3000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("leave" as const, "maintain" as const) }) },
);

class Model {
  readonly jobs: ModelJob[] = [];
  readonly paused = new Set<string>();
  readonly ended = { completed: 0, failed: 0, cancelled: 0 };
  readonly time: FakeTime;
  /** Jobs of the file that had ended before. */
  readonly endedBefore: number;

  constructor(time: FakeTime, endedBefore: number) {
    this.time = time;
    this.endedBefore = endedBefore;
  }

  seen(job: ModelJob): JobState {
    return (job.state === "scheduled" || job.state === "failed") && job.dueMs <= this.time.wall ? "pending" : job.state;
  }

  find(id: number): ModelJob {
    const job = this.jobs.find((each) => each.id === id);
    if (job === undefined) throw new Error(`no job ${id}`);
    return job;
  }

  claim(count: number, queues: readonly string[] | null): number[] {
    // A claim that has a slot to fill makes due work pending for good.
    if (count > 0) for (const job of this.jobs) job.state = this.seen(job);
    const chosen = this.jobs
      .filter((job) => job.state === "pending" && !this.paused.has(job.queue) && (queues?.includes(job.queue) ?? true))
      .sort((a, b) => b.priority - a.priority || a.id - b.id)
      .slice(0, count);
    for (const job of chosen) {
      job.state = "running";
      job.attempts += 1;
    }
    return chosen.map(({ id }) => id);
  }

  finish(id: number, how: Outcome["kind"], retry: boolean): void {
    const job = this.find(id);
    const end = job.cancelRequested && how !== "completed" ? "cancelled" : how;
    if (end !== "released") this.ended[end] += 1;
    if (how === "completed") job.state = "completed";
    else if (how === "cancelled" || job.cancelRequested) job.state = "cancelled";
    else if (how === "released") {
      job.state = "pending";
      job.attempts -= 1;
    } else if (retry && job.attempts <= job.maxRetries) {
      job.state = "failed";
      job.dueMs = this.time.wall + 500 * 2 ** (job.attempts - 1);
    } else job.state = "dead";
  }

  count(state: JobState, of: string | undefined): number {
    return this.jobs.filter((job) => this.seen(job) === state && (of === undefined || job.queue === of)).length;
  }

  oldestAgeSec(jobs: readonly ModelJob[]): number | null {
    const due = jobs.filter((job) => this.seen(job) === "pending").map(({ dueMs }) => dueMs);
    return due.length === 0 ? null : (this.time.wall - Math.min(...due)) / 1000;
  }
}

/** Applies one step to both, and returns what the worker holds afterwards. */
async function apply(
  store: Store,
  model: Model,
  worker: number,
  held: readonly ClaimedJob[],
  step: Step,
): Promise<ClaimedJob[]> {
  const { time } = model;
  switch (step.kind) {
    case "enqueue": {
      const { queue, priority, maxRetries } = step;
      const dueMs = time.wall + step.delayMs;
      const id = await store.insert(aJob({ queue, priority, maxRetries, runAtMs: step.delayMs === 0 ? null : dueMs }));
      const state = step.delayMs === 0 ? "pending" : "scheduled";
      model.jobs.push({ id, queue, priority, maxRetries, state, dueMs, attempts: 0, cancelRequested: false });
      return [...held];
    }
    case "claim": {
      const { claimed } = await exchange(store, worker, { claim: step.count, queues: step.queues });
      expect(claimed.map(({ id }) => id)).toEqual(model.claim(step.count, step.queues));
      for (const job of claimed) expect(job.attempt).toBe(model.find(job.id).attempts);
      return [...held, ...claimed];
    }
    case "finish": {
      const job = held[step.pick % Math.max(1, held.length)];
      if (job === undefined) return [];
      const { id, token } = job;
      const outcome = { id, token, kind: step.how, retry: step.retry, error: "e", resultJson: null } as Outcome;
      expect((await exchange(store, worker, { outcomes: [outcome] })).refused).toEqual([]);
      model.finish(id, step.how, step.retry);
      expect((await exchange(store, worker, { outcomes: [outcome] })).refused, "twice").toEqual([id]);
      return held.filter((each) => each !== job);
    }
    case "cancel": {
      const job = model.jobs[step.pick % Math.max(1, model.jobs.length)];
      if (job === undefined) return [...held];
      const seen = model.seen(job);
      const waits = seen === "pending" || seen === "scheduled" || seen === "failed";
      expect(await store.cancel(job.id)).toBe(waits ? "cancelled" : seen === "running" ? "requested" : "finished");
      if (waits) job.state = "cancelled";
      if (seen === "running") job.cancelRequested = true;
      return [...held];
    }
    case "retry": {
      const job = model.jobs[step.pick % Math.max(1, model.jobs.length)];
      if (job === undefined) return [...held];
      const wasDead = job.state === "dead";
      const moves = wasDead || job.state === "failed";
      expect(await store.retry([job.id])).toBe(moves ? 1 : 0);
      if (moves) Object.assign(job, { state: "pending", dueMs: time.wall, cancelRequested: false });
      if (wasDead) job.attempts = 0;
      return [...held];
    }
    case "pause":
      await store.pause(step.queue);
      model.paused.add(step.queue);
      return [...held];
    case "resume":
      await store.resume(step.queue);
      model.paused.delete(step.queue);
      return [...held];
    case "pass":
      time.pass(step.ms);
      return [...held];
    case "maintain":
      await store.maintain();
      for (const job of model.jobs) job.state = model.seen(job);
      return [...held];
    case "leave":
      await exchange(store, worker, { outcomes: held.map(({ id, token }) => ({ id, token, kind: "released" })) });
      for (const { id } of held) model.finish(id, "released", false);
      return [];
  }
}

async function compare(store: Store, model: Model, before: Census): Promise<void> {
  const { enqueued, runs, ...now } = await store.census();
  const { oldestPendingAgeSec, ...jobs } = await store.stats();
  expect(now).toEqual({ jobs, oldestPendingAgeSec });
  expect(enqueued - before.enqueued).toBe(model.jobs.length);
  for (const end of ["completed", "failed", "cancelled"] as const) {
    expect(runs[end].count - before.runs[end].count, end).toBe(model.ended[end]);
  }
  for (const of of [undefined, ...QUEUES]) {
    const stats = await store.stats(of);
    const expected = Object.fromEntries(JOB_STATES.map((state) => [state, model.count(state, of)]));
    const jobs = model.jobs.filter((job) => of === undefined || job.queue === of);
    expect(stats).toEqual({ ...expected, oldestPendingAgeSec: model.oldestAgeSec(jobs) });
    expect(
      JOB_STATES.reduce((sum, state) => sum + stats[state], 0),
      "every job is counted once",
    ).toBe(jobs.length);
  }
  const open = model.jobs.filter((job) => !model.paused.has(job.queue));
  const load = {
    pending: open.filter((job) => model.seen(job) === "pending").length,
    running: model.count("running", undefined),
    runningOnCordoned: 0,
    oldestPendingAgeSec: model.oldestAgeSec(open),
  };
  expect(await store.load()).toEqual(load);
  const ended = (["completed", "dead", "cancelled"] as const).map((state) => model.count(state, undefined));
  const finishedTotal = ended.reduce((sum, count) => sum + count, model.endedBefore);
  const inWork = load.pending + load.running + model.count("failed", undefined);
  expect(await store.flow()).toEqual({ ...load, finishedTotal, arrivedTotal: finishedTotal + inWork });
  for (const state of JOB_STATES) {
    const ids = model.jobs.filter((job) => model.seen(job) === state).map(({ id }) => id);
    expect(
      (await store.jobs({ state })).map(({ id }) => id),
      state,
    ).toEqual(ids);
  }
}

onEachDriver((driver) => {
  describe("DESIGN 9.3: the states", () => {
    it("agree with the model after any operations, and stats count every job exactly once", async () => {
      const time = new FakeTime();
      const store = openStore({ driver, time, chance: () => 0, retention: { completedSec: Number.POSITIVE_INFINITY } });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
          const before = await store.census();
          const model = new Model(time, (await store.flow()).finishedTotal);
          const worker = await store.registerWorker(aWorker({ slots: 1000 }));
          let held: ClaimedJob[] = [];
          for (const each of steps) {
            held = await apply(store, model, worker, held, each);
            await compare(store, model, before);
          }
          // The file is used again: emptied by the store's own means.
          await store.removeWorker(worker);
          for (const name of QUEUES) await store.resume(name);
          for (const job of await store.jobs({ limit: 1000 })) await store.cancel(job.id);
          for (const state of ["completed", "dead", "cancelled"] as const) await store.purge({ state });
          expect(await store.jobs()).toEqual([]);
        }),
        { numRuns: 40 },
      );
    });
  });
});
