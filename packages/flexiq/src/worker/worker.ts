/**
 * A worker from its registration to its end. DESIGN 10.
 *
 *     new -> starting -> serving -> stopping -> stopped
 *
 * - starting: the file is opened and the worker registered, however long the file stays locked.
 * - serving: its loop takes jobs and gives outcomes; beside it the lease is renewed and the dead are looked for.
 * - stopping: claims nothing, runs what it has to the end. Forced: aborts it and gives it back.
 * - stopped: every outcome is in the store, the worker's row is gone.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "effiqueue";
import { invalidOption, wholeNumber } from "../check.ts";
import type { JobId } from "../model.ts";
import type { Queue } from "../queue.ts";
import type { LostWorker } from "../store/types.ts";
import { every } from "./every.ts";
import { JobLoop } from "./job-loop.ts";
import { Lease } from "./lease.ts";
import {
  ABORT_GRACE_MS,
  GIVE_BACK_MS,
  MAINTAIN_MS,
  SWEEP_MS,
  SWEEPS_PER_FULL_LOOK,
  SWEEPS_PER_POLL,
} from "./pacing.ts";
import { TroubleLog } from "./trouble.ts";

/** What a worker needs of its queue. */
export type WorkerQueue = Pick<Queue, "dbPath" | "leaseMs" | "store" | "tasks" | "workers">;

export interface WorkerOptions {
  /** Jobs at a time. Default: the queue's `workers`. */
  readonly slots?: number;
  /** Default: every queue. */
  readonly queues?: readonly string[];
  readonly log: Logger;
}

/** Each once: a queue that is named twice would be looked into twice, and its jobs handed out twice. */
function queuesOf(names: unknown): readonly string[] | null {
  if (names === undefined) return null;
  const isList = Array.isArray(names) && names.length > 0;
  if (!isList || !names.every((name) => typeof name === "string" && name !== ""))
    throw invalidOption("queues", "names of queues, or nothing for all of them", names);
  return [...new Set(names as string[])];
}

export class Worker {
  readonly slots: number;
  readonly queues: readonly string[] | null;
  readonly #queue: WorkerQueue;
  readonly #log: Logger;
  readonly #lease: Lease;
  #loop: JobLoop | undefined;
  #isStopping = false;
  #isAborting = false;
  #giveUp: () => void = () => undefined;
  readonly #gaveUp = new Promise<void>((resolve) => {
    this.#giveUp = resolve;
  });
  #started: Promise<void> | undefined;
  #done: Promise<void> = Promise.resolve();

  /** @throws FlexiqError `invalid-option` */
  constructor(queue: WorkerQueue, options: WorkerOptions) {
    this.slots = wholeNumber("slots", options.slots, { min: 1, otherwise: queue.workers });
    this.queues = queuesOf(options.queues);
    this.#queue = queue;
    this.#log = options.log;
    this.#lease = new Lease(() => queue.store, {
      slots: this.slots,
      queues: this.queues,
      log: this.#log,
      finished: () => this.#loop?.finished ?? 0,
      onLost: () => this.#abandonRuns(),
    });
  }

  /** Jobs whose outcome a forced stop could not write; they run again once this process is gone. */
  get undelivered(): number {
    return this.#loop?.undelivered.length ?? 0;
  }

  /** Resolves when the worker has stopped. @throws FlexiqError `closed` when the queue was closed under it */
  get done(): Promise<void> {
    return this.#done;
  }

  /**
   * Resolves when the worker is registered and about to claim. Twice is once; after `stop` it does nothing.
   *
   * @throws FlexiqError when the file cannot be used at all; a locked one is waited for
   */
  start(): Promise<void> {
    if (this.#started === undefined) {
      const started = this.#lease.take(() => this.#isStopping);
      this.#started = started;
      const served = started.then(
        () => this.#serve(),
        () => undefined,
      );
      this.#done = Promise.race([served, this.#gaveUp]);
    }
    return this.#started;
  }

  /** Claims nothing more; resolves when what runs has ended. Harmless twice, or before `start`. */
  stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      if (this.#loop !== undefined) this.#log.info({}, `stopping; ${this.#loop.runs.size} jobs run`);
      this.#loop?.stop();
    }
    return this.#done;
  }

  /**
   * Stops without waiting for the jobs: fires their signals, gives them a moment to end, and returns those that have not,
   * without counting the attempt. With `failure` their attempt counts and has failed for that reason.
   */
  async abort(failure?: string): Promise<void> {
    void this.stop();
    if (!this.#isAborting && this.#loop !== undefined) {
      this.#isAborting = true;
      const { runs } = this.#loop;
      this.#loop.giveUpAfter(ABORT_GRACE_MS + GIVE_BACK_MS);
      for (const run of runs) run.abort("stop");
      await Promise.race([this.#done, pause(ABORT_GRACE_MS)]);
      for (const run of runs) {
        if (failure === undefined) run.release();
        else run.fail(failure);
      }
      // Every call on a locked file takes its own time to fail; who stops us now does not wait for them.
      if ((await Promise.race([this.#done, pause(GIVE_BACK_MS, "too late" as const)])) === "too late") {
        this.#sayWhatIsLost(this.#loop);
        this.#giveUp();
      }
    }
    return this.#done;
  }

  /** Ends one run as failed without waiting for its handler. */
  failJob(id: JobId, error: string): void {
    for (const run of this.#loop?.runs ?? []) if (run.job.id === id) run.fail(error);
  }

  /**
   * The process ends when this returns, by the hand of one run: that has failed, and the attempts of the others do not count.
   *
   * @throws FlexiqError when that cannot be written; then each has lost its attempt
   */
  leaveAtOnce(id: JobId, error: string): void {
    for (const run of this.#loop?.runs ?? []) {
      if (run.job.id === id) run.fail(error);
      else run.release();
    }
    this.#loop?.deliverNow();
  }

  async #serve(): Promise<void> {
    // Stopped before the file could be opened.
    if (this.#lease.workerId === 0) return;
    const { store, tasks, dbPath } = this.#queue;
    const { slots, queues } = this;
    this.#log.info(
      { worker_id: this.#lease.workerId, pid: process.pid, slots, queues, tasks: [...tasks.keys()], db: dbPath },
      `worker ${this.#lease.workerId} serves ${queues?.join(", ") ?? "all queues"} of ${dbPath} in ${slots} slots`,
    );
    const loop = new JobLoop({ store, tasks, lease: this.#lease, slots, queues, log: this.#log });
    this.#loop = loop;
    if (this.#isStopping) loop.stop();
    const chores = this.#chores(loop);
    try {
      await loop.run();
    } finally {
      await Promise.all(chores.map((stop) => stop()));
    }
    await this.#leave(loop);
  }

  #chores(loop: JobLoop): (() => Promise<void>)[] {
    const { store, leaseMs } = this.#queue;
    let sweeps = 0;
    const chore = (ms: number, doing: string, action: () => Promise<void>): (() => Promise<void>) => {
      const trouble = new TroubleLog(this.#log, doing);
      return every(ms, () => trouble.guard(action));
    };
    return [
      chore(leaseMs / 3, "renew the lease", () => this.#lease.renew()),
      chore(MAINTAIN_MS, "clean up finished jobs", () => store.maintain()),
      chore(SWEEP_MS, "look for dead workers", async () => {
        sweeps += 1;
        if (sweeps % SWEEPS_PER_POLL === 0) loop.poll();
        // It was held up itself, and maybe the whole machine was: nobody is dead who had no chance to say otherwise.
        if (this.#lease.silentForMs > leaseMs / 2) {
          await this.#lease.renew();
          return;
        }
        const looksAtAll = sweeps % SWEEPS_PER_FULL_LOOK === 0;
        const { workers } = await store.reclaim(looksAtAll ? undefined : this.#lease.workerId);
        this.#sayLost(
          workers.filter(({ silentMs }) => silentMs === null),
          "dead workers",
        );
        this.#sayLost(
          workers.filter(({ silentMs }) => silentMs !== null),
          "workers that were silent for longer than their lease, held (SIGSTOP) or blocked by a handler",
        );
      }),
    ];
  }

  #sayLost(workers: readonly LostWorker[], what: string): void {
    if (workers.length === 0) return;
    const pids = workers.map(({ identity }) => identity.pid);
    const jobs = workers.reduce((sum, worker) => sum + worker.jobs, 0);
    this.#log.warn({ pids, jobs }, `took back ${jobs} ${jobs === 1 ? "job" : "jobs"} of ${what}: ${pids.join(", ")}`);
  }

  #abandonRuns(): void {
    const lost = [...(this.#loop?.runs ?? [])].filter((run) => !run.isReported);
    const ids = lost.map((run) => run.job.id);
    this.#log.warn(
      { worker_id: this.#lease.workerId, job_ids: ids },
      `was silent for longer than its lease and taken for dead; jobs that it still ran, which are others' now: ${ids.length}`,
    );
    for (const run of lost) run.abort("lost");
  }

  async #leave(loop: JobLoop): Promise<void> {
    await new TroubleLog(this.#log, "sign off").guard(() => this.#lease.release());
    const unsettled = [...loop.runs].map((run) => run.job.id);
    if (unsettled.length > 0)
      this.#log.warn({ job_ids: unsettled }, `leaves ${unsettled.length} handlers behind that do not end`);
    this.#sayWhatIsLost(loop);
    this.#log.info({}, "stopped");
  }

  #sayWhatIsLost(loop: JobLoop): void {
    const lost = loop.undelivered.map((outcome) => outcome.id);
    if (lost.length > 0)
      this.#log.error(
        { job_ids: lost },
        `could not give ${lost.length} jobs back; they run again when this process is gone`,
      );
  }
}
