/** The workers of one program that an operator wants replaced: those that were there when it was said. DESIGN 7.13, 4.10. */
import type { Reporter, WorkerPool } from "../model/ports.ts";
import type { WorkerSnapshot } from "../model/worker.ts";

export class Restart {
  readonly #program: string;
  readonly #reporter: Reporter;
  /** `null`: none is under way. */
  #wanted: ReadonlySet<string> | null = null;

  constructor(program: string, reporter: Reporter) {
    this.#program = program;
    this.#reporter = reporter;
  }

  /** @returns how many are to be replaced */
  begin(pool: WorkerPool): number {
    this.#end("resumed");
    const workers = atWork(pool.snapshot()).map(keyOf);
    this.#wanted = new Set(workers);
    this.#reporter.emit("loop.restart.started", { program: this.#program, workers: workers.length });
    return workers.length;
  }

  /** Who has not been replaced yet stays. False: none was under way. */
  resume(): boolean {
    return this.#end("resumed");
  }

  /** Pids of those who are still to go: the others have gone, or leave. */
  left(workers: readonly WorkerSnapshot[]): ReadonlySet<number> {
    const wanted = this.#wanted;
    if (wanted === null) return new Set();
    const left = atWork(workers).filter((worker) => wanted.has(keyOf(worker)));
    if (left.length === 0) this.#end("done");
    return new Set(left.map(({ identity }) => identity.pid));
  }

  #end(why: "done" | "resumed"): boolean {
    if (this.#wanted === null) return false;
    this.#wanted = null;
    this.#reporter.emit("loop.restart.ended", { program: this.#program, why });
    return true;
  }
}

const atWork = (workers: readonly WorkerSnapshot[]): readonly WorkerSnapshot[] =>
  workers.filter(({ state }) => state === "starting" || state === "serving" || state === "relieved");

const keyOf = ({ identity: { pid, startTime } }: WorkerSnapshot): string => `${pid}:${startTime}`;
