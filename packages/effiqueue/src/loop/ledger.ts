/**
 * Who holds what of the budget that all programs share. Asked and answered without waiting, so that of two programs that
 * decide at a time the second sees what the first has ordered. DESIGN 7.8, 7.21.
 */
import { isDeepStrictEqual } from "node:util";
import type { BudgetClaim, BudgetDivision, BudgetPolicy } from "../model/ports.ts";
import type { MemoryLook } from "./memory-looks.ts";

export interface Party {
  claim(): BudgetClaim;
}

/** It is divided anew for one change in so many claims: for each where there are fewer, and not for each of five thousand. */
const CLAIMS_A_CHANGE = 50;

export class Ledger {
  #policy: BudgetPolicy;
  readonly #parties = new Set<Party>();
  /** All of them, as they were at this look or have been said anew since. `undefined`: they must be read. */
  #look: MemoryLook | null | undefined;
  #claims: BudgetClaim[] = [];
  #places: ReadonlyMap<Party, number> = new Map();
  #fair: { readonly totalBytes: number; readonly division: BudgetDivision } | undefined;
  /** Since it was divided. */
  #changes = 0;

  constructor(policy: BudgetPolicy) {
    this.#policy = policy;
  }

  get policy(): BudgetPolicy {
    return this.#policy;
  }

  set policy(policy: BudgetPolicy) {
    this.#policy = policy;
    this.#fair = undefined;
  }

  enter(party: Party): void {
    this.#parties.add(party);
    this.#look = undefined;
  }

  leave(party: Party): void {
    this.#parties.delete(party);
    this.#look = undefined;
  }

  /** What a party holds or wants has changed. */
  renew(party: Party): void {
    const place = this.#places.get(party);
    if (place === undefined) return;
    const claim = party.claim();
    if (!isDeepStrictEqual(claim, this.#claims[place])) this.#changes += 1;
    this.#claims[place] = claim;
  }

  /** Bytes that a party may take; `null`: nothing is known that limits it. */
  shareOf(party: Party, look: MemoryLook | null): number | null {
    const totalBytes = this.#policy.totalBytes(look?.machine ?? null, look?.poolsBytes ?? 0);
    if (totalBytes === null) return null;
    if (look === null || look !== this.#look) this.#read(look);
    else this.renew(party);
    return this.#policy.shareBytes(totalBytes, this.#claims, this.#places.get(party) ?? -1, this.#division(totalBytes));
  }

  /** Once for all that decide by one look at the memory: who asked everybody each time would ask n x n times. */
  #read(look: MemoryLook | null): void {
    const parties = [...this.#parties];
    this.#look = look;
    this.#places = new Map(parties.map((party, place) => [party, place]));
    this.#claims = parties.map((party) => party.claim());
    this.#fair = undefined;
  }

  #division(totalBytes: number): BudgetDivision {
    const isDue = this.#changes * CLAIMS_A_CHANGE > this.#claims.length;
    if (this.#fair === undefined || this.#fair.totalBytes !== totalBytes || isDue) {
      this.#fair = { totalBytes, division: this.#policy.divide(totalBytes, this.#claims) };
      this.#changes = 0;
    }
    return this.#fair.division;
  }
}
