/**
 * What the management API says of a queue, made into numbers or unknowns. Fields are absent, null, or of another type whenever
 * the broker has nothing to say: a queue that was just declared or is idle, a broker that just started or does not count.
 * DESIGN 7.2. Pure.
 */
import { isRecord } from "../../model/record.ts";

/** `null`: unknown. */
export interface Counted {
  /** Messages since the queue, or the broker's memory of it, exists. */
  readonly total: number | null;
  /** Messages/s over the broker's own window. */
  readonly rate: number | null;
}

export const UNCOUNTED: Counted = { total: null, rate: null };

export interface Totals {
  readonly type: string | null;
  readonly ready: number | null;
  readonly unacked: number | null;
}

export interface QueueStats {
  readonly totals: Totals;
  readonly consumers: number | null;
  /** Acknowledged, or sent to somebody who need not acknowledge. */
  readonly finished: Counted;
  /** Handed out for the first time: finished, rejected, or in somebody's hands. */
  readonly handedOut: Counted;
  readonly arrived: Counted;
  /** It was declared with `x-single-active-consumer`. */
  readonly singleConsumer: boolean;
  /** When the publisher of the oldest waiting message stamped it, in seconds of the wall clock; `null`: it cannot be told. */
  readonly headStampSec: number | null;
}

/** By name, the counts of the queues in a page of the list. */
export function totalsIn(list: unknown): ReadonlyMap<unknown, Totals> {
  const items = Array.isArray(list) ? (list as unknown[]) : field(list, "items");
  return new Map(Array.isArray(items) ? (items as unknown[]).map((item) => [field(item, "name"), totalsOf(item)]) : []);
}

/** The queue that an answer is about, be it a list; `undefined`: there is none in it. */
export function queueIn(answer: unknown): unknown {
  const items = field(answer, "items");
  return Array.isArray(items) ? (items as unknown[])[0] : answer;
}

export function queueStats(answer: unknown): QueueStats {
  const stats = field(answer, "message_stats");
  const details = field(answer, "consumer_details");
  return {
    totals: totalsOf(answer),
    // In the details a consumer goes at once and comes within a sample; in the count both take the statistics' time.
    consumers: Array.isArray(details) ? details.length : countOf(field(answer, "consumers")),
    finished: sumOf(stats, ["ack", "deliver_no_ack", "get_no_ack"]),
    handedOut: handedOutOnce(stats),
    arrived: sumOf(stats, ["publish"]),
    singleConsumer: field(field(answer, "arguments"), "x-single-active-consumer") === true,
    headStampSec: stampOf(field(answer, "head_message_timestamp")),
  };
}

function totalsOf(item: unknown): Totals {
  const type = field(item, "type");
  const messages = countOf(field(item, "messages"));
  const unacked = countOf(field(item, "messages_unacknowledged"));
  const rest = messages === null || unacked === null || unacked > messages ? null : messages - unacked;
  return {
    type: typeof type === "string" ? type : null,
    ready: countOf(field(item, "messages_ready")) ?? rest,
    unacked,
  };
}

/** Once one of the counters is there, those that are absent are 0; one that is there and is no number makes the sum unknown. */
function sumOf(stats: unknown, names: readonly string[]): Counted {
  const parts = names.map((name) => [field(stats, name), field(field(stats, `${name}_details`), "rate")] as const);
  const present = parts.filter(([total, rate]) => total !== undefined || rate !== undefined);
  if (present.length === 0) return UNCOUNTED;
  return {
    total: sum(present.map(([total]) => countOf(total))),
    rate: sum(present.map(([total, rate]) => (rate === undefined && total === 0 ? 0 : countOf(rate)))),
  };
}

function handedOutOnce(stats: unknown): Counted {
  const all = sumOf(stats, ["deliver_get"]);
  const { total, rate } = sumOf(stats, ["redeliver"]);
  return {
    total: all.total === null ? null : countOf(all.total - (total ?? 0)),
    rate: all.rate === null ? null : Math.max(0, all.rate - (rate ?? 0)),
  };
}

/** AMQP counts seconds; some libraries hand on what JavaScript counts. As seconds that would be the year 5000. */
function stampOf(value: unknown): number | null {
  const stamp = countOf(value);
  if (stamp === null || stamp === 0) return null;
  return stamp > MOST_STAMP_SEC ? stamp / 1000 : stamp;
}

const MOST_STAMP_SEC = 1e11;

const sum = (values: readonly (number | null)[]): number | null =>
  values.reduce((total, value) => (total === null || value === null ? null : total + value), 0);

const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;

/** Of an object only: the broker writes an empty object as an empty list. */
export const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
