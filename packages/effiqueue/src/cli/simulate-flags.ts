/** What the flags of `effiqueue simulate` say of the load and of the world around the policy. DESIGN 13.5. */
import { readFileSync } from "node:fs";
import { checkOptions } from "../model/check.ts";
import { codeOf } from "../model/errors.ts";
import { KEY_NAMES, KEYS, type Key, type KeyName, type Options, optionName } from "../model/keys.ts";
import { nearest } from "../model/nearest.ts";
import { parseDuration } from "../model/quantities.ts";
import {
  PLANT,
  PLANT_MEMORY,
  type PlantMemory,
  type PlantOptions,
  parseLoadSpec,
  parseTrace,
  type ServiceLaw,
  type Trace,
} from "../simulate/index.ts";
import { UsageError } from "./errors.ts";
import { duration, size, whole } from "./flag-values.ts";
import { feasible } from "./simulate-limits.ts";

/** As typed. */
export interface PlantFlags {
  readonly trace?: string;
  readonly load?: string;
  readonly interval?: string;
  readonly length: string;
  readonly service?: string;
  readonly slots?: string;
  readonly startup?: string;
  readonly crashEvery?: string;
  readonly knee?: string;
  readonly workerMemory?: string;
  readonly memory?: string;
  readonly otherMemory?: string;
}

export function traceOf({ trace, load, interval, length }: PlantFlags): Trace {
  if ((trace === undefined) === (load === undefined)) {
    throw new UsageError("name the load: --trace FILE, or --load SHAPE such as constant:rate=5");
  }
  if (load !== undefined) {
    const lengthSec = duration("--length", length);
    return feasible(
      "--load",
      said("--load", () => parseLoadSpec(load, { lengthSec })),
    );
  }
  const file = trace ?? "";
  const intervalSec = interval === undefined ? undefined : duration("--interval", interval);
  return feasible(
    file,
    said(file, () => parseTrace(readFileSync(file, "utf8"), { intervalSec })),
  );
}

type Facts = NonNullable<Trace["facts"]>;

/** Flags before the facts that the trace has recorded. */
export function plantOf(flags: PlantFlags, { facts = {} }: Trace): Partial<PlantOptions> {
  return {
    service: serviceIn(flags, facts),
    slots: flags.slots === undefined ? (facts.slots ?? PLANT.slots) : whole("--slots", flags.slots),
    startupSec:
      flags.startup === undefined ? (facts.startup_sec ?? PLANT.startupSec) : duration("--startup", flags.startup),
    ...(flags.crashEvery === undefined ? {} : { crashEverySec: duration("--crash-every", flags.crashEvery) }),
    knee: flags.knee === undefined ? null : { slots: whole("--knee", flags.knee) },
    memory: memoryOf(flags, facts),
  };
}

function serviceIn({ service }: PlantFlags, { service_sec: meanSec }: Facts): ServiceLaw {
  if (service !== undefined) return serviceOf(service);
  if (meanSec !== undefined) return lognormal(meanSec);
  throw new UsageError("say how long a worker takes for a message: --service 500ms");
}

function memoryOf(flags: PlantFlags, facts: Facts): PlantMemory | null {
  const bytes = (flag: string, text: string | undefined, fact: number | undefined): number | undefined =>
    text === undefined ? fact : size(flag, text);
  const grownBytes = bytes("--worker-memory", flags.workerMemory, facts.worker_bytes);
  const totalBytes = bytes("--memory", flags.memory, facts.memory_bytes);
  if (grownBytes === undefined && totalBytes === undefined) return null;
  if (grownBytes === undefined || totalBytes === undefined) {
    throw new UsageError("memory takes two figures: --worker-memory 250MB and --memory 8GB");
  }
  const otherBytes = bytes("--other-memory", flags.otherMemory, facts.other_bytes) ?? PLANT_MEMORY.otherBytes;
  const youngBytes = Math.min(PLANT_MEMORY.youngBytes, grownBytes);
  return { ...PLANT_MEMORY, totalBytes, otherBytes, grownBytes, youngBytes };
}

/** The program with some of its keys set anew, under the rules of the file. */
export function changed(options: Options, sets: readonly string[]): Options {
  const values: Partial<Record<KeyName, unknown>> = {};
  for (const name of KEY_NAMES) values[name] = options[optionName(name)];
  for (const set of sets) {
    const [, key = "", text = ""] = /^([^=]*)=(.*)$/s.exec(set) ?? [];
    const name = KEY_NAMES.find((each) => each === key.trim());
    if (name === undefined) throw new UsageError(`--set ${set}: expected KEY=VALUE${hint(key.trim())}`);
    const { kind }: Key = KEYS[name];
    values[name] = kind.fromText?.(text.trim()) ?? text.trim();
    // Of two that exclude each other, the one that is set replaces the other.
    for (const pair of RIVALS)
      for (const rival of pair) if (pair.includes(name) && rival !== name) values[rival] = undefined;
  }
  const checked = checkOptions(values, { spell: (key) => key });
  if (checked.kind === "ok") return checked.options;
  throw new UsageError(
    checked.problems
      .map(({ key, expected }) => `--set ${key}: expected ${expected}, got ${show(values[key])}`)
      .join("; "),
  );
}

const RIVALS: readonly (readonly KeyName[])[] = [
  ["ram_budget", "ram_headroom"],
  ["slo_drain_time", "slo_wait_time"],
];

const show = (value: unknown): string => (value === undefined ? "nothing" : JSON.stringify(value));

function hint(key: string): string {
  const meant = nearest(key, KEY_NAMES);
  return meant === undefined ? " with a key of the configuration" : `; did you mean ${meant}?`;
}

const LAWS: readonly ServiceLaw["law"][] = ["constant", "exponential", "lognormal", "bimodal"];

const lognormal = (meanSec: number, cv = 0.5): ServiceLaw => ({ law: "lognormal", meanSec, cv });

/** `500ms`, `500ms exponential`, `500ms lognormal 0.8`, `500ms bimodal`. */
function serviceOf(text: string): ServiceLaw {
  const [mean = "", name = "lognormal", cv] = text.trim().split(/[\s,]+/);
  const meanSec = parseDuration(mean);
  const law = LAWS.find((each) => each === name);
  if (meanSec === undefined || meanSec === 0 || law === undefined || (cv !== undefined && !(Number(cv) > 0))) {
    const expected = `a time and a law: 500ms, "500ms lognormal 0.8", "500ms ${LAWS.join('", "500ms ')}"`;
    throw new UsageError(`--service: expected ${expected}; got ${JSON.stringify(text)}`);
  }
  if (law === "lognormal") return lognormal(meanSec, cv === undefined ? undefined : Number(cv));
  if (law === "bimodal") return { law, meanSec, slowShare: 0.1, slowTimes: 10 };
  return law === "constant" ? { law, meanSec } : { law: "exponential", meanSec };
}

/** What is wrong with a text of the user's is told under its name. */
function said<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof Error)) throw cause;
    throw new UsageError(`${what}: ${UNREADABLE[codeOf(cause)] ?? cause.message}`);
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "is a folder",
  EACCES: "may not be read",
};
