/**
 * What callers ask the store for, checked at the edge: an unknown state or a negative id would silently match nothing.
 * DESIGN 12.
 */
import { invalidOption, oneOf, onlyKnown, secondsOrNever, text, wholeNumber } from "./check.ts";
import { JOB_STATES } from "./lifecycle.ts";
import type { JobId } from "./model.ts";
import type { JobFilter, PurgeFilter } from "./store/types.ts";

export function jobIdOf(value: unknown): JobId {
  const id = wholeNumber("job id", value, { min: 1, otherwise: undefined });
  if (id === undefined) throw invalidOption("job id", "a whole number of at least 1", value);
  return id;
}

export function queueName(value: unknown): string {
  return text("queue", value ?? "", "");
}

export function jobFilter(filter: JobFilter = {}): JobFilter {
  onlyKnown("job filter", filter, ["state", "queue", "limit", "afterId"]);
  oneOf("state", filter.state, { choices: JOB_STATES, otherwise: undefined });
  text("queue", filter.queue, undefined);
  wholeNumber("limit", filter.limit, { min: 1, otherwise: undefined });
  wholeNumber("afterId", filter.afterId, { min: 0, otherwise: undefined });
  return filter;
}

export function purgeFilter(filter: PurgeFilter): PurgeFilter {
  onlyKnown("purge filter", filter, ["state", "queue", "olderThanSec"]);
  const choices = ["completed", "dead", "cancelled"] as const;
  if (oneOf("state", filter.state, { choices, otherwise: undefined }) === undefined) {
    throw invalidOption("state", choices.map((each) => `"${each}"`).join(" or "), undefined);
  }
  text("queue", filter.queue, undefined);
  secondsOrNever("olderThanSec", filter.olderThanSec, 0);
  return filter;
}

export function retryFilter(
  which: JobId | readonly JobId[] | { readonly queue?: string },
): readonly JobId[] | { readonly queue?: string } {
  if (typeof which === "number") return [jobIdOf(which)];
  if (isList(which)) return which.map(jobIdOf);
  onlyKnown("retry filter", which, ["queue"]);
  text("queue", which.queue, undefined);
  return which;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
