/**
 * Workers that the kernel has killed for want of memory: said with what they had, which the pool does not know, and told the policy. DESIGN 4.12.
 */
import type { Observation } from "../model/observation.ts";
import type { Reporter } from "../model/ports.ts";
import type { WorkerExit } from "../model/worker.ts";
import type { MemoryLook } from "./memory-looks.ts";

export class OomReport {
  readonly #program: string;
  readonly #reporter: Reporter;
  /** Of the look before, which still knows whom the kernel has killed since. */
  #groupBytes: ReadonlyMap<number, number> | undefined;

  constructor(program: string, reporter: Reporter) {
    this.#program = program;
    this.#reporter = reporter;
  }

  /** @param left live workers */
  observe(
    exits: readonly WorkerExit[],
    left: number,
    look: MemoryLook | null | undefined,
  ): Pick<Observation, "oomKills"> {
    const killed = exits.filter(({ kind }) => kind === "oom-killed");
    for (const { pid } of killed) {
      const fields = { pid, last_bytes: this.#groupBytes?.get(pid) ?? null, workers_left: left };
      this.#reporter.emit("act.worker.oom_killed", { program: this.#program, ...fields });
    }
    this.#groupBytes = look?.machine.groupBytes;
    return killed.length === 0 ? {} : { oomKills: killed.length };
  }
}
