/** What all workers may take, from readings that may be missing. DESIGN 2.5. Pure. */
import type { Measured } from "../../model/observation.ts";
import { known } from "./known.ts";

/** What the machine has, less what is not the pool's, less what the system keeps; `null`: unknown. */
export function derivedBudget(
  machine: { readonly totalBytes: Measured; readonly usedBytes: Measured } | null | undefined,
  poolBytes: Measured,
  headroomBytes: number,
): number | null {
  const total = known(machine?.totalBytes);
  const used = known(machine?.usedBytes);
  const pool = known(poolBytes);
  if (total === null || used === null || pool === null) return null;
  // Shared pages may make the sum of the workers larger than what is in use at all.
  const others = Math.max(0, used - pool);
  return Math.max(0, total - others - headroomBytes);
}
