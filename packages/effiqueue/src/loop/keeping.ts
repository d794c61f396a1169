/** When what a program has learned is kept for whoever comes after a restart. DESIGN 7.18. */
import type { Learned } from "../model/learned.ts";
import type { MonotonicMs } from "../units.ts";

/** A daemon that is killed loses no more than that; what is a minute old is hardly less true. */
const KEEP_EVERY_MS = 60_000;

export interface KeepingParts {
  /** `null`: its policy learns nothing. */
  readonly learned: () => Learned | null;
  readonly keep: (learned: Learned) => void;
}

export class Keeping {
  readonly #parts: KeepingParts;
  #keptAt: MonotonicMs | null = null;
  #hasKeptMu = false;

  constructor(parts: KeepingParts) {
    this.#parts = parts;
  }

  /** Who has learned nothing leaves what an earlier life knew. */
  keep(): void {
    const learned = this.#parts.learned();
    if (learned === null || Object.values(learned).every((each) => each === null)) return;
    this.#hasKeptMu ||= learned.mu !== null;
    this.#parts.keep(learned);
  }

  /** The first mu at once: it took longest to learn. */
  ticked(now: MonotonicMs): void {
    this.#keptAt ??= now;
    const isFirstMu = !this.#hasKeptMu && this.#parts.learned()?.mu != null;
    if (!isFirstMu && now - this.#keptAt < KEEP_EVERY_MS) return;
    this.#keptAt = now;
    this.keep();
  }

  /** Another queue: everything is learned anew. */
  begin(): void {
    this.#hasKeptMu = false;
  }
}
