/** A queue that knows its workers: the test says who is registered and how busy it is; the pool's requests are on record. */
import type { WorkerDirectory } from "../../src/model/ports.ts";
import type { WorkerSnapshot, WorkerView } from "../../src/model/worker.ts";

export class FakeDirectory implements WorkerDirectory {
  readonly asked: string[] = [];
  /** Rejects with this, if set. */
  trouble: Error | undefined;
  /** Jobs that come in just before the worker would be cordoned. */
  readonly jobsInBetween = new Map<number, number>();
  readonly #views = new Map<number, WorkerView>();

  register(worker: WorkerSnapshot, busy: number): void {
    const { pid, startTime } = worker.identity;
    this.#views.set(pid, { pid, startTime, slots: 4, busy });
  }

  set(pid: number, change: Partial<WorkerView>): void {
    const view = this.#views.get(pid);
    if (view !== undefined) this.#views.set(pid, { ...view, ...change });
  }

  workers(): Promise<readonly WorkerView[]> {
    return this.#answer(() => [...this.#views.values()]);
  }

  cordonIfIdle(pid: number): Promise<boolean> {
    return this.#answer(() => {
      this.asked.push(`cordonIfIdle ${pid}`);
      const busy = this.jobsInBetween.get(pid) ?? this.#views.get(pid)?.busy;
      this.set(pid, { ...(busy === undefined ? {} : { busy }), cordoned: busy === 0 });
      return busy === 0;
    });
  }

  cordon(pid: number): Promise<void> {
    return this.#answer(() => {
      this.asked.push(`cordon ${pid}`);
      this.set(pid, { cordoned: true });
    });
  }

  uncordon(pid: number): Promise<void> {
    return this.#answer(() => {
      this.asked.push(`uncordon ${pid}`);
      this.set(pid, { cordoned: false });
    });
  }

  #answer<T>(work: () => T): Promise<T> {
    return this.trouble === undefined ? Promise.resolve().then(work) : Promise.reject(this.trouble);
  }
}
