/**
 * Says when the kernel has killed for want of memory: whoever looks for the reason of a worker's SIGKILL finds it in the same log.
 * DESIGN 7.5.
 */
import type { Reporter } from "../../model/ports.ts";
import { readSmallFile } from "./files.ts";
import type { Groups } from "./places.ts";
import { fieldIn } from "./texts.ts";

export class OomKills {
  readonly #root: string;
  readonly #reporter: Reporter;
  #before: { readonly file: string; readonly kills: number } | undefined;

  constructor(root: string, reporter: Reporter) {
    this.#root = root;
    this.#reporter = reporter;
  }

  /** What was before the first look is no news. */
  look(hierarchies: readonly Groups[], limitedBy: string): void {
    const now = this.#count(hierarchies);
    const before = this.#before;
    this.#before = now;
    if (now === undefined || before?.file !== now.file || now.kills <= before.kills) return;
    this.#reporter.emit("observe.memory.oom_killed", { kills: now.kills - before.kills, limited_by: limitedBy });
  }

  /** Our own group's account, which leaves out what became of others; the machine's where there is none. */
  #count(hierarchies: readonly Groups[]): { readonly file: string; readonly kills: number } | undefined {
    const own = hierarchies.map(({ version, folders }) =>
      version === 2 ? `${folders[0] ?? ""}/memory.events` : `${folders[0] ?? ""}/memory.oom_control`,
    );
    for (const file of [...own, "/proc/vmstat"]) {
      const kills = fieldIn(readSmallFile(`${this.#root}${file}`), "oom_kill");
      if (kills !== null) return { file, kills };
    }
    return undefined;
  }
}
