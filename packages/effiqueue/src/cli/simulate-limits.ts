/** What a simulation would take hours for, or has no answer to, is refused: silence would pass for an answer. DESIGN 13.5. */
import type { KeyName, Options } from "../model/keys.ts";
import { lengthOf, type PlantOptions, type Trace } from "../simulate/index.ts";
import { UsageError } from "./errors.ts";

/** Some minutes and a gigabyte for all that is asked of them. */
const MOST_MESSAGES = 5_000_000;

/** A minute for a run, of which the questions take twenty: six days of polls each second, two months of each ten. */
const MOST_LOOKS = 500_000;

/** Without memory there is nothing that these hold. */
const OF_MEMORY: readonly KeyName[] = [
  "ram_budget",
  "ram_headroom",
  "ram_ratio_cap",
  "max_worker_memory",
  "swap_ratio_cap",
];

export const messagesOf = ({ arrivals }: Trace): number => Math.round(arrivals.reduce((sum, count) => sum + count, 0));

/** @throws UsageError */
export function feasible(what: string, trace: Trace): Trace {
  refuseBeyond(MOST_MESSAGES, messagesOf(trace), `${what}: {} messages`);
  return trace;
}

/** @throws UsageError */
export function refuseEndless(trace: Trace, variants: readonly { readonly options: Options }[]): void {
  for (const { options } of variants) {
    const looks = Math.round(lengthOf(trace) / options.pollInterval);
    refuseBeyond(MOST_LOOKS, looks, `poll_interval of ${options.pollInterval} s: {} looks at the queue`);
  }
}

/** @param what with `{}` for the number */
function refuseBeyond(most: number, count: number, what: string): void {
  if (count <= most) return;
  const written = what.replace("{}", count.toLocaleString("en-US"));
  throw new UsageError(
    `${written} are too many to be simulated; expected at most ${most.toLocaleString("en-US")}, so take a shorter part of it`,
  );
}

/** @throws UsageError */
export function refuseIdle(sets: readonly string[], { memory = null }: Partial<PlantOptions>): void {
  const idle =
    memory === null ? sets.find((set) => OF_MEMORY.some((key) => set.trim().startsWith(`${key}=`))) : undefined;
  if (idle === undefined) return;
  throw new UsageError(
    `--set ${idle}: memory is not simulated, so it changes nothing; say --worker-memory 250MB and --memory 8GB`,
  );
}
