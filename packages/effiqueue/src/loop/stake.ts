/** What one program holds of the memory that all share, and what it would have: its claim on the budget. DESIGN 7.8. */
import type { Decision, ProgramDecision } from "../model/decision.ts";
import type { MemoryReading, QueueReading } from "../model/observation.ts";
import type { Appetite, BudgetClaim, ProgramLimits } from "../model/ports.ts";
import { currentOf } from "../model/worker.ts";
import type { Ledger, Party } from "./ledger.ts";
import type { MemoryLook } from "./memory-looks.ts";
import type { ProgramOptions } from "./program-options.ts";

export interface StakeParts {
  /** As they are now. */
  readonly options: () => ProgramOptions;
  /** `undefined`: a policy of its own has limits that nobody knows. */
  readonly limits: () => (ProgramLimits & { readonly floor: number }) | undefined;
  readonly ledger: Ledger;
}

export class Stake implements Party {
  readonly #parts: StakeParts;
  /** Live workers that a resize under way was told to bring about; `null`: none is. */
  #ordered: number | null = null;
  #workerBytes: number | null;
  #beyondBytes = 0;
  /** No more is reserved for a worker that grows for ever. */
  #outgrownAt: number | undefined;
  #appetite: Appetite | null = null;

  constructor(parts: StakeParts) {
    this.#parts = parts;
    this.#workerBytes = parts.options().learned?.workerBytes ?? null;
    parts.ledger.enter(this);
  }

  /** Its memory is another process's, or about to be free. */
  leave(): void {
    this.#parts.ledger.leave(this);
  }

  /** Bytes that it may take; `null`: nothing is known that limits it. @param memory what its workers take now */
  share(memory: MemoryReading | undefined, dtSec: number, look: MemoryLook | null): number | null {
    const { ledger, options } = this.#parts;
    const { policy } = ledger;
    const maxBytes = options().recycle?.maxBytes ?? this.#outgrownAt;
    this.#workerBytes = policy.workerBytes(memory, this.#workerBytes, { dtSec, maxBytes });
    this.#beyondBytes = this.#workerBytes === null ? 0 : policy.bytesBeyond(memory, this.#workerBytes);
    return ledger.shareOf(this, look);
  }

  /** What was ordered counts as held until the resize is over. */
  decided(decision: Decision | ProgramDecision, queue: QueueReading | null): void {
    this.#ordered = decision.desired;
    this.#outgrownAt = "growth" in decision ? decision.growth?.limitBytes : undefined;
    const limits = this.#parts.limits();
    const { ledger } = this.#parts;
    if (limits !== undefined) this.#appetite = ledger.policy.appetite(decision, queue, limits);
    ledger.renew(this);
  }

  resized(): void {
    this.#ordered = null;
    this.#parts.ledger.renew(this);
  }

  claim(): BudgetClaim {
    const { program, pool, limits } = this.#parts.options();
    const counts = pool.counts();
    const workers = Math.max(currentOf(counts), this.#ordered ?? 0, this.#appetite?.kept ?? 0);
    return {
      program,
      priority: limits?.priority ?? 0,
      workers,
      draining: counts.draining,
      workerBytes: this.#workerBytes,
      beyondBytes: this.#beyondBytes,
      // Who may not start any has no use for what is kept free for them.
      wanted: pool.spawnBackoffSec() > 0 ? workers : (this.#appetite?.wanted ?? workers),
      need: this.#appetite?.need ?? null,
      floor: this.#parts.limits()?.floor ?? 0,
    };
  }
}
