/**
 * How long one message occupies a slot: laws that a handful of figures describes. DESIGN 13.2. Pure.
 */
import type { Random } from "./random.ts";

/** `meanSec` is that of an undisturbed worker, > 0, whatever the law. */
export type ServiceLaw =
  | { readonly law: "constant"; readonly meanSec: number }
  | { readonly law: "exponential"; readonly meanSec: number }
  /** `cv`: deviation / mean, > 0. */
  | { readonly law: "lognormal"; readonly meanSec: number; readonly cv: number }
  /** A share of the messages, in (0, 1), takes `slowTimes` as long as the others. */
  | { readonly law: "bimodal"; readonly meanSec: number; readonly slowShare: number; readonly slowTimes: number }
  /** Shape > 1; nothing takes more than `longestTimes` the shortest. */
  | { readonly law: "pareto"; readonly meanSec: number; readonly shape: number; readonly longestTimes: number };

/** Draws one service time after the other, seconds. */
export function serviceTimes(service: ServiceLaw, random: Random): () => number {
  const { meanSec } = service;
  switch (service.law) {
    case "constant":
      return () => meanSec;
    case "exponential":
      return () => meanSec * random.exponential();
    case "lognormal": {
      const variance = Math.log(1 + service.cv ** 2);
      const scale = meanSec * Math.exp(-variance / 2);
      return () => scale * Math.exp(Math.sqrt(variance) * random.normal());
    }
    case "bimodal": {
      const { slowShare, slowTimes } = service;
      const fastSec = meanSec / (1 - slowShare + slowShare * slowTimes);
      return () => (random.next() < slowShare ? fastSec * slowTimes : fastSec);
    }
    case "pareto": {
      const { shape, longestTimes } = service;
      // The mean of min(X, longest) of a Pareto variable that begins at 1.
      const mean = (shape - longestTimes ** (1 - shape)) / (shape - 1);
      return () => (meanSec / mean) * Math.min(random.next() ** (-1 / shape), longestTimes);
    }
  }
}
