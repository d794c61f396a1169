/** Floor and ceiling as a rule that leaves its reason. DESIGN 8.7. Pure. */
import { clamp } from "../shared/clamp.ts";
import type { HpaConfig } from "./config.ts";
import { type Chain, lastOf } from "./rationale.ts";

export function limited(chain: Chain, config: HpaConfig): Chain {
  const { workers: wish } = lastOf(chain);
  const workers = clamp(wish, config.minWorkers, config.maxWorkers);
  if (workers === wish) return chain;
  return workers > wish
    ? [...chain, { workers, reason: "min-workers", phrase: `floor is ${workers}` }]
    : [...chain, { workers, reason: "max-workers", phrase: `ceiling is ${workers}` }];
}
