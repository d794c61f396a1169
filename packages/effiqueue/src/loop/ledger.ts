/**
 * Who holds what of the budget that all programs share. Asked and answered without waiting, so that of two programs that
 * decide at a time the second sees what the first has ordered. DESIGN 7.8.
 */
import type { BudgetClaim, BudgetPolicy } from "../model/ports.ts";
import type { MemoryLook } from "./memory-looks.ts";

export interface Party {
  claim(): BudgetClaim;
}

export class Ledger {
  policy: BudgetPolicy;
  readonly #parties = new Set<Party>();

  constructor(policy: BudgetPolicy) {
    this.policy = policy;
  }

  enter(party: Party): void {
    this.#parties.add(party);
  }

  leave(party: Party): void {
    this.#parties.delete(party);
  }

  /** Bytes that a party may take; `null`: nothing is known that limits it. */
  shareOf(party: Party, look: MemoryLook | null): number | null {
    const totalBytes = this.policy.totalBytes(look?.machine ?? null, look?.poolsBytes ?? 0);
    if (totalBytes === null) return null;
    const parties = [...this.#parties];
    const claims = parties.map((each) => each.claim());
    return this.policy.shareBytes(totalBytes, claims, parties.indexOf(party));
  }
}
