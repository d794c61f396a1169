/** What workers of a test have really done: they write down when they finished each message. */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "./temp-dir.ts";

export class Tally {
  /** For the key `env` of a program, or the environment of the daemon. */
  readonly folder: string;

  constructor(name = "tally") {
    this.folder = join(tempDir(), name);
    mkdirSync(this.folder);
  }

  /** Messages finished so far. */
  total(): number {
    return this.#workers().reduce((sum, times) => sum + times.length, 0);
  }

  /** Messages/s of one worker, from each one's first message to its last; of workers that had work all that time. */
  rate(): number {
    const spans = this.#workers().map((times) => ({
      messages: times.length - 1,
      ms: (times.at(-1) ?? 0) - (times[0] ?? 0),
    }));
    const ms = spans.reduce((sum, span) => sum + span.ms, 0);
    return (1_000 * spans.reduce((sum, { messages }) => sum + messages, 0)) / ms;
  }

  /** Of each worker, oldest first. */
  #workers(): number[][] {
    return readdirSync(this.folder)
      .map((pid) => readFileSync(join(this.folder, pid), "utf8").split("\n").slice(0, -1).map(Number))
      .filter((times) => times.length > 0);
  }
}
