/**
 * The kernel's account of kills for want of memory: whose worker has ended by SIGKILL asks here whether that was one of them, and
 * what nobody asks for is said all the same. DESIGN 7.5, 4.12.
 */
import type { Reporter } from "../../model/ports.ts";
import { readSmallFile } from "./files.ts";
import type { Groups } from "./places.ts";
import { fieldIn } from "./texts.ts";

/**
 * The kernel counts before it kills, and a large process takes its time to go. What nobody has claimed after so long was no worker, and
 * must not explain a SIGKILL that somebody sends later.
 */
const CLAIMABLE_MS = 10_000;

interface Account {
  readonly file: string;
  readonly kills: number;
}

export class OomKills {
  readonly #root: string;
  readonly #reporter: Reporter | undefined;
  #account: Account | undefined;
  #unsaid = 0;
  /** When each kill was found that nobody has claimed. */
  #unclaimed: readonly number[] = [];

  /** What was before is no news. */
  constructor(root: string, hierarchies: readonly Groups[], reporter: Reporter | undefined) {
    this.#root = root;
    this.#reporter = reporter;
    this.#account = this.#read(hierarchies);
  }

  /**
   * True once for each kill.
   *
   * @param now milliseconds on a monotonic clock
   */
  claim(hierarchies: readonly Groups[], now: number): boolean {
    this.#count(hierarchies, now);
    const [first, ...others] = this.#unclaimed.filter((at) => now - at < CLAIMABLE_MS);
    this.#unclaimed = others;
    return first !== undefined;
  }

  look(hierarchies: readonly Groups[], limitedBy: string, now: number): void {
    this.#count(hierarchies, now);
    if (this.#unsaid > 0) {
      this.#reporter?.emit("observe.memory.oom_killed", { kills: this.#unsaid, limited_by: limitedBy });
    }
    this.#unsaid = 0;
  }

  /** In another group another account begins. */
  #count(hierarchies: readonly Groups[], at: number): void {
    const before = this.#account;
    const now = this.#read(hierarchies);
    this.#account = now;
    const kills = now === undefined || now.file !== before?.file ? 0 : Math.max(0, now.kills - before.kills);
    this.#unsaid += kills;
    this.#unclaimed = [...this.#unclaimed, ...Array.from({ length: kills }, () => at)];
  }

  /** Our own group's account, which leaves out what became of others; the machine's where there is none. */
  #read(hierarchies: readonly Groups[]): Account | undefined {
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
