import { type BudgetClaim, type BudgetPolicy, sharedBudget } from "effiqueue/decide";
import { describe, expect, it } from "vitest";
import { Ledger, type Party } from "../../src/loop/ledger.ts";
import type { MemoryLook } from "../../src/loop/memory-looks.ts";
import { MB } from "./slo-programs.ts";

/** Programs that want more than there is, each with workers of its own size. */
function ledgerOf(count: number, ramBudgetBytes: number) {
  const asked = { claims: 0, divisions: 0 };
  const policy = sharedBudget({ ramBudgetBytes });
  const counting: BudgetPolicy = {
    ...policy,
    divide: (...args) => {
      asked.divisions += 1;
      return policy.divide(...args);
    },
  };
  const ledger = new Ledger(counting);
  const claims = Array.from({ length: count }, (_, i): BudgetClaim => {
    const sizeBytes = (10 + (i % 7)) * MB;
    const need = { needed: 4 + (i % 5), keepUp: 1 };
    return {
      program: `p${i}`,
      priority: 0,
      workers: 1,
      draining: 0,
      workerBytes: sizeBytes,
      wanted: 9,
      need,
      floor: 0,
    };
  });
  const parties = claims.map((_, i): Party => {
    return {
      claim: () => {
        asked.claims += 1;
        return claims[i] as BudgetClaim;
      },
    };
  });
  for (const party of parties) ledger.enter(party);
  const change = (i: number, to: Partial<BudgetClaim>): void => {
    claims[i] = { ...(claims[i] as BudgetClaim), ...to };
    ledger.renew(parties[i] as Party);
  };
  const fresh = (i: number) => policy.shareBytes(ramBudgetBytes, claims, i);
  return { ledger, parties, claims, asked, change, fresh };
}

const look = (): MemoryLook => ({ machine: {}, poolsBytes: 0 }) as MemoryLook;

describe("DESIGN 7.21: a poll of many programs", () => {
  it.each([200, 400])("asks each of %i what it holds a few times, and not once for every other", (count) => {
    const { ledger, parties, asked, change } = ledgerOf(count, count * 40 * MB);
    const now = look();
    for (const [i, party] of parties.entries()) {
      ledger.shareOf(party, now);
      change(i, { wanted: 8 });
      change(i, { workers: 2 });
    }
    expect(asked.claims).toBeLessThanOrEqual(4 * count);
    // Two changes of each: the same number of divisions for however many.
    expect(asked.divisions).toBeLessThanOrEqual(101);
  });

  it("says of fewer than fifty what is fair at that very moment", () => {
    const { ledger, parties, change, fresh } = ledgerOf(49, 49 * 40 * MB);
    const now = look();
    for (const [i, party] of parties.entries()) {
      expect(ledger.shareOf(party, now)).toBe(fresh(i));
      change(i, { wanted: 1 + (i % 4), need: null });
      change(i, { workers: 1 + (i % 2) });
    }
  });

  it("gives nobody what others have ordered in the same poll, however many they are", () => {
    const budgetBytes = 300 * 40 * MB;
    const { ledger, parties, claims, change } = ledgerOf(300, budgetBytes);
    const reserved = () => claims.reduce((sum, { workers, workerBytes }) => sum + workers * (workerBytes as number), 0);
    const before = reserved();
    const now = look();
    for (const [i, party] of parties.entries()) {
      const { workers, workerBytes } = claims[i] as BudgetClaim;
      const fits = Math.floor((ledger.shareOf(party, now) as number) / (workerBytes as number));
      change(i, { workers: Math.max(workers, fits) });
      expect(reserved()).toBeLessThanOrEqual(budgetBytes);
    }
    expect(reserved()).toBeGreaterThan(before);
  });

  it("sees at the next look what has changed by itself, and at once who has come or gone", () => {
    const { ledger, parties, claims, fresh } = ledgerOf(3, 300 * MB);
    const [first, , third] = parties as [Party, Party, Party];
    const now = look();
    ledger.shareOf(first, now);
    claims[1] = { ...(claims[1] as BudgetClaim), workers: 0, wanted: 0 };
    const later = look();
    expect(ledger.shareOf(first, later)).toBe(fresh(0));
    ledger.leave(third);
    claims.pop();
    expect(ledger.shareOf(first, later)).toBe(fresh(0));
  });
});
