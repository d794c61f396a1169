/**
 * Who leaves the group of a worker takes the mark of the pool along: a worker that puts itself into the background is told from one that
 * has done its work by what it leaves. It is named and left alone, for a job may start what is meant to outlive it. DESIGN 4.15.
 */
import { thisSystem } from "./platform/this-system.ts";
import { POOL_MARK, PROCESS_NUM_MARK } from "./spawn.ts";
import type { Tell } from "./tell.ts";
import type { Worker } from "./worker.ts";

export class Strays {
  readonly #poolId: string;
  readonly #tell: Tell;
  #named: ReadonlySet<string> = new Set();

  constructor(poolId: string, tell: Tell) {
    this.#poolId = poolId;
    this.#tell = tell;
  }

  /**
   * Names each once, when a worker of its number has ended unasked and soon.
   *
   * @param living the workers that are left, each with a group of its own
   */
  look({ identity, processNum }: Worker, living: readonly Worker[]): void {
    const groups = new Set([identity.pid, ...living.map((each) => each.identity.pid)]);
    const outside = thisSystem.processesWith(POOL_MARK, this.#poolId).filter(({ groupId }) => !groups.has(groupId));
    const why = `worker ${identity.pid} has ended and left it in another process group; if it is the worker itself, run it in the foreground`;
    const named = new Set<string>();
    for (const stray of outside) {
      const { pid, startTime } = stray.identity;
      const key = `${pid} ${startTime}`;
      const isKnown = this.#named.has(key);
      const isOfThis = stray.environment.get(PROCESS_NUM_MARK) === String(processNum);
      if (isOfThis && !isKnown) this.#tell("act.worker.stray_ignored", { pid, why });
      if (isOfThis || isKnown) named.add(key);
    }
    this.#named = named;
  }
}
