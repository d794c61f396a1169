/** What an operator told one program, for as long as it holds. DESIGN 7.13. */
import type { Override, OverrideKind } from "../model/override.ts";
import type { Clock, ProgramLimits, Reporter } from "../model/ports.ts";
import { type MonotonicMs, wallMs } from "../units.ts";

/** As it is given. */
export interface OverrideOrder {
  readonly kind: OverrideKind;
  /** To hold at; `undefined`: as the pool is meant to be now. */
  readonly workers?: number | undefined;
  /** Milliseconds, > 0; `undefined`: until it is resumed. */
  readonly forMs?: number | undefined;
}

export class Overruling {
  readonly #program: string;
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  #override: Override | null = null;
  #until: number | null = null;

  constructor(program: string, { clock, reporter }: { readonly clock: Clock; readonly reporter: Reporter }) {
    this.#program = program;
    this.#clock = clock;
    this.#reporter = reporter;
  }

  /** `undefined`: nothing holds. */
  get override(): Override | undefined {
    return this.#override ?? undefined;
  }

  /** In place of what held before. @param meant live workers that the pool is meant to have */
  begin({ kind, workers: given, forMs }: OverrideOrder, meant: number): void {
    const workers = given ?? meant;
    this.#end("replaced");
    this.#override = { kind, ...boundsOf(kind, workers) };
    this.#until = forMs === undefined ? null : this.#clock.monotonicMs() + forMs;
    const until = forMs === undefined ? null : new Date(wallMs(this.#clock.wallMs() + forMs)).toISOString();
    this.#reporter.emit("loop.override.started", { program: this.#program, override: kind, workers, until });
  }

  /** False: nothing held. */
  resume(): boolean {
    return this.#end("resumed");
  }

  /** Ends what has had its time. */
  look(now: MonotonicMs): void {
    if (this.#until !== null && now >= this.#until) this.#end("expired");
  }

  /** Where only one direction is paused the pool may go the other way, and not come back. */
  decided(desired: number): void {
    const before = this.#override;
    if (before === null) return;
    const { kind, atLeast, atMost } = before;
    if (kind === "pause-in") this.#override = { kind, atLeast: Math.max(atLeast, desired), atMost };
    if (kind === "pause-out" && atMost !== null) this.#override = { kind, atLeast, atMost: Math.min(atMost, desired) };
  }

  #end(why: "resumed" | "replaced" | "expired"): boolean {
    if (this.#override === null) return false;
    const { kind: override } = this.#override;
    this.#override = null;
    this.#until = null;
    this.#reporter.emit("loop.override.ended", { program: this.#program, override, why });
    return true;
  }
}

/** What a program may want of a budget that it shares, and what it has of it in any case. */
export function limitsUnder(
  override: Override | undefined,
  limits: ProgramLimits | undefined,
): (ProgramLimits & { readonly floor: number }) | undefined {
  if (limits === undefined) return undefined;
  const { minWorkers: floor, maxWorkers } = limits;
  const most = Math.min(maxWorkers, override?.atMost ?? maxWorkers);
  const least = Math.min(most, Math.max(floor, override?.atLeast ?? 0));
  return { minWorkers: least, maxWorkers: most, floor: Math.min(floor, most) };
}

function boundsOf(kind: OverrideKind, workers: number): Omit<Override, "kind"> {
  switch (kind) {
    case "pause-in":
      return { atLeast: workers, atMost: null };
    case "pause-out":
      return { atLeast: 0, atMost: workers };
    case "pause":
    case "scale":
    case "drain":
      return { atLeast: workers, atMost: workers };
  }
}
