/** What a simulation would take hours for, or has no answer to, is refused: silence would pass for an answer. DESIGN 13.5. */
import { KEY_NAMES, KEYS, type Key, type KeyName, type Mode, type Options } from "../model/keys.ts";
import { lengthOf, type PlantOptions, type Trace } from "../simulate/index.ts";
import { UsageError } from "./errors.ts";

/** Some minutes and a gigabyte for all that is asked of them. */
const MOST_MESSAGES = 5_000_000;

/** A minute for a run, of which the questions take twenty: six days of polls each second, two months of each ten. */
const MOST_LOOKS = 500_000;

/** What a machine and a worker have of their keys in a simulation. A policy has all of its own but those below. */
const SIMULATED: readonly KeyName[] = [
  "poll_interval",
  "drain_timeout",
  "ram_budget",
  "ram_headroom",
  "max_worker_memory",
];

/** What a simulation has nothing of, and why. */
const NEVER: Partial<Record<KeyName, string>> = {
  memory_pressure_cap: "nobody waits for memory in a simulation",
  priority: "one program is simulated, and shares its memory with none",
  schedule: "a trace has no time of day",
};

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

/** @throws UsageError for a key that changes nothing. @param options with what was set */
export function refuseIdle(sets: readonly string[], { mode }: Options, { memory = null }: Partial<PlantOptions>): void {
  for (const set of sets) {
    const key = KEY_NAMES.find((each) => each === set.slice(0, set.indexOf("=")).trim());
    const why = key && idleFor(key, mode, memory !== null);
    if (why === undefined) continue;
    const remedy = "remedy" in why ? `; ${why.remedy}` : "";
    throw new UsageError(`--set ${set}: ${why.reason}, so it changes nothing${remedy}`);
  }
}

function idleFor(key: KeyName, mode: Mode, hasMemory: boolean): { reason: string; remedy?: string } | undefined {
  const { part, modes }: Key = KEYS[key];
  const never = NEVER[key];
  if (never !== undefined) return { reason: never };
  if (part !== "policy" && !SIMULATED.includes(key)) return { reason: "a simulation has nothing of it" };
  if (modes?.includes(mode) === false) return { reason: `it is not read in mode ${JSON.stringify(mode)}` };
  if (hasMemory || !OF_MEMORY.includes(key)) return undefined;
  return { reason: "memory is not simulated", remedy: "say --worker-memory 250MB and --memory 8GB" };
}
