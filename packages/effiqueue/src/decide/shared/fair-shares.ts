/**
 * What each program has coming of a budget: first by priority, among equals by need. DESIGN 7.8. Pure.
 */
import type { BudgetClaim } from "../../model/ports.ts";
import { type Taker, waterFill } from "./water-fill.ts";

interface Party {
  readonly claim: BudgetClaim;
  /** Bytes of a worker. */
  readonly size: number;
  /** The floor, and a first worker, are given in any case. */
  readonly least: number;
}

type Shares = ReadonlyMap<Party, number>;

/**
 * Live workers for each claim. The order in which the claims come changes nothing.
 *
 * @param sizes bytes of a worker of each
 */
export function fairShares(
  totalBytes: number,
  claims: readonly BudgetClaim[],
  sizes: readonly number[] = sizesOf(claims),
): readonly number[] {
  // Mostly there is enough for all.
  const wishBytes = claims.reduce((sum, { wanted }, i) => sum + wanted * (sizes[i] ?? 0), 0);
  if (wishBytes <= totalBytes) return claims.map(({ wanted }) => wanted);
  const parties = claims.map((claim, i): Party => {
    return { claim, size: sizes[i] ?? 0, least: Math.min(claim.wanted, Math.max(1, claim.floor)) };
  });
  const shares = new Map(parties.map((party) => [party, party.least]));
  let left = totalBytes - bytesOf(shares);
  for (const peers of byPriority(parties)) {
    const leastBytes = bytesOf(new Map(peers.map((party) => [party, party.least])));
    const given = sharesOfPeers(left + leastBytes, peers);
    for (const [party, workers] of given) shares.set(party, workers);
    left -= bytesOf(given) - leastBytes;
  }
  return parties.map((party) => shares.get(party) ?? 0);
}

/** A worker that was not measured yet is taken to be as large as the largest that was. */
export function sizesOf(claims: readonly BudgetClaim[]): readonly number[] {
  const largest = claims.reduce((most, { workerBytes }) => Math.max(most, workerBytes ?? 0), 0);
  return claims.map(({ workerBytes }) => workerBytes ?? largest);
}

/** Highest first. Of peers that are equally badly off who has more workers keeps them, and names settle the rest. */
function byPriority(parties: readonly Party[]): readonly (readonly Party[])[] {
  const sorted = parties.toSorted(
    ({ claim: a }, { claim: b }) => b.workers - a.workers || (a.program < b.program ? -1 : 1),
  );
  const priorities = [...new Set(parties.map(({ claim }) => claim.priority))].sort((a, b) => b - a);
  return priorities.map((priority) => sorted.filter(({ claim }) => claim.priority === priority));
}

/** Those whose need is known put their equal parts together, so that they share them by need; the others keep theirs. */
function sharesOfPeers(totalBytes: number, peers: readonly Party[]): Shares {
  const equal = filled(totalBytes, peers, byBytes(totalBytes));
  const pooled = new Map([...equal].filter(([{ claim }]) => claim.need !== null));
  const needy = filled(bytesOf(pooled), [...pooled.keys()], byNeed);
  const others = peers.filter((party) => !pooled.has(party));
  return new Map([...needy, ...filled(totalBytes - bytesOf(needy), others, byBytes(totalBytes))]);
}

/** What makes one as well off as another. */
interface Measure {
  readonly topLevel: number;
  readonly takerOf: (party: Party) => Pick<Taker, "workersAt" | "levelOf">;
}

const byBytes = (totalBytes: number): Measure => ({
  topLevel: totalBytes,
  takerOf: ({ size }) => ({
    workersAt: (level) => (size === 0 ? Number.POSITIVE_INFINITY : level / size),
    levelOf: (workers) => workers * size,
  }),
});

/**
 * With `n` workers a queue is empty after `(needed - keepUp) / (n - keepUp)` times the promised time: 2 is the promise kept, between 2 and 1 it takes
 * ever longer, and below 1 the level is the share of what arrives that is done at all.
 */
const byNeed: Measure = {
  topLevel: 2,
  takerOf: ({ claim: { need } }) => {
    const { needed, keepUp } = need ?? { needed: 0, keepUp: 0 };
    return {
      workersAt: (level) => (level <= 1 ? level * keepUp : keepUp + (level - 1) * (needed - keepUp)),
      levelOf: (workers) => (workers < keepUp ? workers / keepUp : 1 + (workers - keepUp) / (needed - keepUp || 1)),
    };
  },
};

function filled(totalBytes: number, parties: readonly Party[], { topLevel, takerOf }: Measure): Shares {
  const takers = parties.map((party): Taker => {
    return { least: party.least, most: party.claim.wanted, size: party.size, ...takerOf(party) };
  });
  const workers = waterFill(totalBytes, takers, topLevel);
  return new Map(parties.map((party, i) => [party, workers[i] ?? 0]));
}

const bytesOf = (shares: Shares): number => [...shares].reduce((sum, [{ size }, workers]) => sum + workers * size, 0);
