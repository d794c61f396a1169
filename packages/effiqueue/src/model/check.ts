/**
 * Whether a set of options can be used, alone and together: everything that is wrong at once, in no particular spelling of
 * the names, because a file says `max_workers` and a program says `maxWorkers`. DESIGN 5.1. Pure.
 */
import { DEFAULT_RAM_HEADROOM, KEY_NAMES, KEYS, type Key, type KeyName, type Options, optionName } from "./keys.ts";
import { parseSize } from "./quantities.ts";
import type { Schedule } from "./schedule.ts";

export interface Problem {
  readonly key: KeyName;
  /** `missing`: required, and not there. `invalid`: not of its kind. `conflict`: fits its kind, but not another key. */
  readonly code: "missing" | "invalid" | "conflict";
  /** What would be right. */
  readonly expected: string;
}

/** Spells a key the way its reader knows it. */
export type Spell = (key: KeyName) => string;

export type Checked =
  | { readonly kind: "ok"; readonly options: Options }
  | { readonly kind: "wrong"; readonly problems: readonly Problem[] };

/**
 * @param given by key; `undefined` counts as left out. Names that are no key are not looked at.
 * @param needs which required keys have to be there
 */
export function checkOptions(
  given: Readonly<Partial<Record<KeyName, unknown>>>,
  { spell = optionName, needs = REQUIRED }: { readonly spell?: Spell; readonly needs?: readonly KeyName[] } = {},
): Checked {
  const values: Partial<Record<KeyName, unknown>> = {};
  const problems: Problem[] = [];
  for (const name of KEY_NAMES) {
    const key: Key = KEYS[name];
    const value = given[name] === undefined ? key.default : given[name];
    if (value === undefined) {
      if (needs.includes(name)) problems.push({ key: name, code: "missing", expected: key.kind.expected });
      continue;
    }
    const read = key.kind.read(value);
    if (read === undefined) problems.push({ key: name, code: "invalid", expected: key.kind.expected });
    else values[name] = read;
  }
  problems.push(...conflicts(given, values, spell));
  if (problems.length > 0) return { kind: "wrong", problems };
  if (values.mode === "slo" && given.ram_budget === undefined && given.ram_headroom === undefined) {
    values.ram_headroom = parseSize(DEFAULT_RAM_HEADROOM);
  }
  const named = KEY_NAMES.map((name) => [optionName(name), values[name]] as const);
  return { kind: "ok", options: Object.fromEntries(named) as unknown as Options };
}

const REQUIRED: readonly KeyName[] = KEY_NAMES.filter((name) => "required" in KEYS[name]);

/** Rules over two keys. A key that is wrong in itself is reported once, as itself. */
function conflicts(
  given: Readonly<Partial<Record<KeyName, unknown>>>,
  values: Readonly<Partial<Record<KeyName, unknown>>>,
  spell: Spell,
): Problem[] {
  const problems: Problem[] = [];
  const conflict = (key: KeyName, expected: string) => problems.push({ key, code: "conflict", expected });

  const { min_workers: min, max_workers: max } = values;
  if (typeof min === "number" && typeof max === "number" && min > max) {
    conflict("min_workers", `at most ${spell("max_workers")}, which is ${max}`);
  }
  for (const { name, minWorkers } of values.schedule === undefined ? [] : (values.schedule as readonly Schedule[])) {
    if (typeof max !== "number" || minWorkers === undefined || minWorkers <= max) continue;
    const most = `min_workers of at most ${spell("max_workers")}, which is ${max}`;
    conflict("schedule", `${most}, in the schedule ${JSON.stringify(name)} (${minWorkers})`);
  }
  if (given.ram_budget !== undefined && given.ram_headroom !== undefined) {
    conflict("ram_headroom", `only one of ${spell("ram_budget")} and ${spell("ram_headroom")}`);
  }
  if (given.slo_drain_time !== undefined && given.slo_wait_time !== undefined) {
    conflict("slo_wait_time", `only one of ${spell("slo_drain_time")} and ${spell("slo_wait_time")}`);
  }
  if (values.max_worker_jobs !== undefined) {
    const others = `${spell("max_worker_age")} or ${spell("max_worker_memory")}`;
    conflict("max_worker_jobs", `${others} instead: RabbitMQ does not tell which worker finished how many messages`);
  }
  if (values.mode === "slo" && given.slo_drain_time === undefined && given.slo_wait_time === undefined) {
    const expected = `in ${spell("mode")} "slo" ${KEYS.slo_drain_time.kind.expected}, or ${spell("slo_wait_time")}`;
    problems.push({ key: "slo_drain_time", code: "missing", expected });
  }
  for (const [one, other] of [
    ["tls_cert", "tls_key"],
    ["tls_key", "tls_cert"],
  ] as const) {
    if (given[one] !== undefined && given[other] === undefined) {
      problems.push({ key: other, code: "missing", expected: `beside ${spell(one)} ${KEYS[other].kind.expected}` });
    }
  }
  return problems;
}
