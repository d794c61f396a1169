/**
 * The queue's word on its workers, asked so that it can fail: a directory that rejects or does not answer is reported when
 * that begins or changes, and the pool goes on without. DESIGN 4.3, 4.4.
 */
import { errorText } from "../model/errors.ts";
import type { Clock, WorkerDirectory } from "../model/ports.ts";
import type { WorkerView } from "../model/worker.ts";
import type { Tell } from "./tell.ts";
import type { Worker } from "./worker.ts";

/** Far beyond what a local queue takes; a pool must not stand still because its queue hangs. */
const ANSWER_WITHIN_MS = 5_000;

export class Directory {
  readonly #directory: WorkerDirectory;
  readonly #clock: Clock;
  readonly #tell: Tell;
  #trouble: string | undefined;

  constructor(directory: WorkerDirectory, clock: Clock, tell: Tell) {
    this.#directory = directory;
    this.#clock = clock;
    this.#tell = tell;
  }

  /** Whether the last question got no answer: the next one would hardly fare better, and may take as long. */
  get isSilent(): boolean {
    return this.#trouble !== undefined;
  }

  /** `null`: could not be had. */
  async views(): Promise<readonly WorkerView[] | null> {
    return (await this.#ask(() => this.#directory.workers())) ?? null;
  }

  /** True: it runs nothing and will get nothing. */
  async cordonIfIdle({ identity }: Worker): Promise<boolean> {
    return (await this.#ask(() => this.#directory.cordonIfIdle(identity.pid, identity.startTime))) ?? false;
  }

  /** False: could not be done. */
  cordon({ identity }: Worker): Promise<boolean> {
    return this.#do(() => this.#directory.cordon(identity.pid, identity.startTime));
  }

  /** False: could not be done. */
  uncordon({ identity }: Worker): Promise<boolean> {
    return this.#do(() => this.#directory.uncordon(identity.pid, identity.startTime));
  }

  async #do(work: () => Promise<void>): Promise<boolean> {
    return (await this.#ask(() => work().then(() => true))) ?? false;
  }

  async #ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await this.#inTime(question());
      this.#trouble = undefined;
      return answer;
    } catch (error) {
      const trouble = errorText(error);
      if (trouble !== this.#trouble) this.#tell("act.directory.unreadable", { error: trouble });
      this.#trouble = trouble;
      return undefined;
    }
  }

  #inTime<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const cancel = this.#clock.after(ANSWER_WITHIN_MS, () =>
        reject(new Error(`no answer in ${ANSWER_WITHIN_MS} ms`)),
      );
      void answer.then(resolve, reject).finally(cancel);
    });
  }
}
