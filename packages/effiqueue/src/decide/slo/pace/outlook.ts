/**
 * What must have been begun by when, and what will have been: two cumulative curves, as in network calculus (Le Boudec and Thiran,
 * 2001). Where the first is above the second somebody is late. DESIGN 2.13. Pure.
 */
import { type Ages, waitingFor } from "./ages.ts";
import type { SteadyLoad } from "./steady.ts";

export interface Outlook {
  /** What waited `sinceSec` seconds ago, and the worker-seconds of service since then. */
  readonly ages: Ages;
  readonly sinceSec: number;
  readonly workerSec: number;
  /** Messages/s arriving. */
  readonly lambda: number;
  /** Messages/s by which that was just a surprise. */
  readonly rise: number;
  /** What load and work have been for long without a change; `null`: they have not. */
  readonly steady: SteadyLoad | null;
  /** Messages/s of one worker, > 0. */
  readonly mu: number;
  readonly serving: number;
  /** Seconds until each starting worker serves. */
  readonly comingSec: readonly number[];
}

/** Messages that must have been begun in `h` seconds if none may wait for longer than `waitSec`. */
export function dueBy({ ages, sinceSec, lambda }: Outlook, h: number, waitSec: number): number {
  const agoSec = waitSec - h - sinceSec;
  return waitingFor(ages, Math.max(0, agoSec)) + lambda * Math.max(0, -agoSec);
}

/** Messages that will have been begun in `h` seconds, if there is always one to begin. */
export function begunBy({ workerSec, mu, serving, comingSec }: Outlook, h: number): number {
  let service = workerSec + serving * h;
  for (const sec of comingSec) service += Math.max(0, h - sec);
  return mu * service;
}

/** Messages that will wait in `h` seconds; below 0: workers will have idled. */
export function waitingIn(outlook: Outlook, h: number): number {
  return dueBy(outlook, h, 0) - begunBy(outlook, h);
}
