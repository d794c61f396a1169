/**
 * What really ran, written by the jobs themselves: one file per worker process, one line per start and per end. The
 * summary compares it with what the queue claims.
 */
import { appendFileSync, closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";

/** Environment variable: the folder of the journal. */
export const JOURNAL_DIR = "FLEXIQ_DEMO_JOURNAL";

export interface Entry {
  readonly what: "start" | "end";
  readonly job: number;
  readonly pid: number;
  /** Unique to this run of the job. */
  readonly run: string;
  readonly atMs: number;
}

/** For the jobs of this process. A line is one small append, so a SIGKILL leaves it out or leaves it whole. */
export function openJournal(): { started(job: number): string; ended(job: number): void } {
  const file = join(process.env[JOURNAL_DIR] ?? ".", `${process.pid}.log`);
  const runs = new Map<number, string>();
  let count = 0;
  const write = (what: Entry["what"], job: number, run: string): void => {
    const entry: Entry = { what, job, pid: process.pid, run, atMs: Date.now() };
    appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
  return {
    started(job) {
      const run = `${process.pid}-${++count}`;
      runs.set(job, run);
      write("start", job, run);
      return run;
    },
    ended(job) {
      write("end", job, runs.get(job) ?? "");
    },
  };
}

/** Follows the journal of every worker. */
export class JournalReader {
  readonly entries: Entry[] = [];
  readonly #dir: string;
  readonly #readUpTo = new Map<string, number>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Reads what has been added. */
  refresh(): void {
    for (const name of readdirSync(this.#dir)) {
      const from = this.#readUpTo.get(name) ?? 0;
      const added = readFrom(join(this.#dir, name), from);
      const lines = added.subarray(0, added.lastIndexOf(10) + 1);
      this.#readUpTo.set(name, from + lines.length);
      for (const line of lines.toString().split("\n")) {
        if (line !== "") this.entries.push(JSON.parse(line) as Entry);
      }
    }
  }

  /** Runs of a process that started and did not end. */
  cutOffIn(pid: number): Entry[] {
    const ended = new Set(this.entries.filter(({ what }) => what === "end").map(({ run }) => run));
    return this.entries.filter((entry) => entry.what === "start" && entry.pid === pid && !ended.has(entry.run));
  }

  /** The first start of a job after a run of it was cut off. */
  restartOf(cutOff: Entry): Entry | undefined {
    return this.entries.find(
      (entry) =>
        entry.what === "start" && entry.job === cutOff.job && entry.run !== cutOff.run && entry.atMs >= cutOff.atMs,
    );
  }
}

function readFrom(path: string, from: number): Buffer {
  const fd = openSync(path, "r");
  try {
    const added = Buffer.alloc(Math.max(0, fstatSync(fd).size - from));
    return added.subarray(0, readSync(fd, added, 0, added.length, from));
  } finally {
    closeSync(fd);
  }
}
