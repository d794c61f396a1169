/** Floor and ceiling as a rule that leaves its reason, the same in every mode. DESIGN 2.6, 8.7. Pure. */
import { clamp } from "./clamp.ts";
import { type Chain, lastOf } from "./rationale.ts";

export interface Limits {
  readonly minWorkers: number;
  readonly maxWorkers: number;
}

export function limited(chain: Chain, { minWorkers, maxWorkers }: Limits): Chain {
  const { workers: wish } = lastOf(chain);
  const workers = clamp(wish, minWorkers, maxWorkers);
  if (workers === wish) return chain;
  return workers > wish
    ? [...chain, { workers, reason: "min-workers", phrase: `floor is ${workers}` }]
    : [...chain, { workers, reason: "max-workers", phrase: `ceiling is ${workers}` }];
}
