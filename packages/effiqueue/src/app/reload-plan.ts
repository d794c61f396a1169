/**
 * What is to be done for a running daemon to be what another configuration says: program by program, told apart by name. DESIGN 7.15.
 * Pure.
 */
import type { Config, Program } from "../config/validate.ts";
import { KEY_NAMES, KEYS, type KeyName, optionName } from "../model/keys.ts";

export interface Change {
  readonly program: Program;
  /** What was learned of the queue before is of no use. */
  readonly isOtherQueue: boolean;
}

export interface ReloadPlan {
  readonly added: readonly Program[];
  readonly changed: readonly Change[];
  readonly removed: readonly string[];
  readonly unchanged: readonly string[];
  /** Keys whose new values would take a restart, as they are written. */
  readonly fixed: readonly KeyName[];
  /** What runs when the plan was carried out. */
  readonly config: Config;
}

/** Places and listeners of the whole process: what holds them does not come and go. */
const FIXED = [
  "state_dir",
  "metrics_addr",
  "metrics_token_file",
  "metrics_hosts",
  "on_event",
  "on_event_header",
  "poll_interval",
] as const satisfies readonly KeyName[];

/** Where a queue is, and how it is asked. */
const OF_QUEUE = KEY_NAMES.filter((name) => KEYS[name].part === "queue");

/** @param running of the programs that run: one that others have taken over is none of them */
export function planOf(running: Config, next: Config): ReloadPlan {
  const fixed = FIXED.filter((key) => differ([key], running.shared, next.shared));
  const kept = Object.fromEntries(FIXED.map(optionName).map((name) => [name, valueOf(running.shared, name)]));
  const programs = next.programs.map((program) => ({ ...program, options: { ...program.options, ...kept } }));
  const before = new Map(running.programs.map((program) => [program.name, program.options]));
  const after = new Set(programs.map(({ name }) => name));
  const isSame = ({ name, options }: Program): boolean => !differ(KEY_NAMES, before.get(name), options);
  const stays = programs.filter(({ name }) => before.has(name));
  return {
    added: programs.filter(({ name }) => !before.has(name)),
    changed: stays
      .filter((program) => !isSame(program))
      .map((program) => ({ program, isOtherQueue: differ(OF_QUEUE, before.get(program.name), program.options) })),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    unchanged: stays.filter(isSame).map(({ name }) => name),
    fixed,
    config: { ...next, shared: { ...next.shared, ...kept }, programs },
  };
}

const differ = (keys: readonly KeyName[], a: object | undefined, b: object): boolean =>
  keys.map(optionName).some((name) => JSON.stringify(valueOf(a, name)) !== JSON.stringify(valueOf(b, name)));

const valueOf = (options: object | undefined, name: string): unknown =>
  (options as Readonly<Record<string, unknown>> | undefined)?.[name];
