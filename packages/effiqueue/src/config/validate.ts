/**
 * Raw configuration as programs that can be run, or everything that is wrong with it at once. DESIGN 5.1.
 */
import { checkOptions } from "../model/check.ts";
import { KEYS, type KeyName, type Options } from "../model/keys.ts";
import type { Calendar } from "../model/ports.ts";
import { secretsOf, secretsOfHook } from "../model/redact.ts";
import { adviceFor } from "./advice.ts";
import { openCalendar } from "./calendar.ts";
import type { Environment } from "./environment.ts";
import { ConfigError, type Finding, findingText } from "./errors.ts";
import type { Names } from "./percent.ts";
import type { Entries, Entry, RawConfig, RawProgram } from "./raw.ts";
import { readValues, type Tell, type Values } from "./values.ts";
import { textFaults, textsOf, variablesOf, type WorkerSettings, workerNames, workerSettings } from "./worker.ts";

const SHARED = [
  "pollInterval",
  "ramBudget",
  "ramHeadroom",
  "metricsAddr",
  "metricsTokenFile",
  "metricsHosts",
  "onEvent",
  "onEventHeader",
  "stateDir",
] as const satisfies readonly (keyof Options)[];

export interface Config {
  readonly file: string;
  /** What holds once for the whole process. */
  readonly shared: Pick<Options, (typeof SHARED)[number]>;
  /** At least one. */
  readonly programs: readonly Program[];
  readonly warnings: readonly Finding[];
  /** Passwords, to be kept out of whatever is printed (`redactor`). */
  readonly secrets: readonly string[];
}

export interface Program {
  /** No two programs of a file share one. */
  readonly name: string;
  /** With the shared values and the defaults; the texts of workers are as they were written. */
  readonly options: Options;
  /** What worker number `processNum` is started with. */
  readonly worker: (processNum: number) => WorkerSettings;
  /** When its schedules hold; `null`: it has none. */
  readonly calendar: Calendar | null;
}

export interface Circumstances {
  readonly env: Environment;
  /** Overrides the mode of every program. */
  readonly mode?: string | undefined;
}

/** @throws ConfigError naming everything that is wrong */
export function validate(file: string, raw: RawConfig, { env, mode }: Circumstances): Config {
  const problems = [...raw.problems];
  const warnings = [...raw.warnings];
  const teller =
    (findings: Finding[], program?: RawProgram): Tell =>
    (name, entry, text) => {
      const { line } = entry ?? program ?? {};
      findings.push({ file, line, program: program?.label, key: entry?.key ?? name, text });
    };

  const shared = mode === undefined ? raw.shared : new Map([...raw.shared, ["mode", modeFlag(mode)] as const]);
  const sharedValues = readValues(shared, env, teller(problems));
  const programs = raw.programs.flatMap((each) => {
    const own = mode === undefined ? each.entries : new Map([...each.entries].filter(([name]) => name !== "mode"));
    const entries = new Map([...shared, ...own]);
    // What is shared is told without a program, so that it is told once.
    const tellOf =
      (findings: Finding[]): Tell =>
      (name, entry, text) =>
        teller(findings, entry !== undefined && !own.has(name) ? undefined : each)(name, entry, text);

    for (const [name, entry] of own) {
      if (!isMisplaced(name, entry)) continue;
      tellOf(problems)(name, entry, `holds for the whole process; move it ${raw.sharedPlace}`);
    }
    const values = { ...sharedValues, ...readValues(own, env, tellOf(problems)) };
    const program = makeProgram(each, { entries, values, otherNames: raw.otherNames }, tellOf(problems));
    if (program === undefined) return [];
    // A file that is one program has said everything about it; else only what stands inside the program is meant for it.
    const said = each.label === undefined ? entries : own;
    for (const [name, text] of adviceFor(program.options, entries, said)) {
      tellOf(warnings)(name, entries.get(name), text);
    }
    return [{ ...program, line: each.line, label: each.label }];
  });
  problems.push(...sameNames(file, programs));

  const [first] = programs;
  if (problems.length > 0 || first === undefined) throw new ConfigError(inOrder(problems));
  const { options } = first;
  // Unset it depends on the mode; what one program keeps free all have to.
  const ramHeadroom = programs.map((each) => each.options.ramHeadroom).find((each) => each !== undefined);
  return {
    file,
    shared: { ...(Object.fromEntries(SHARED.map((name) => [name, options[name]])) as Config["shared"]), ramHeadroom },
    programs: programs.map(({ name, options, worker, calendar }) => ({ name, options, worker, calendar })),
    warnings: inOrder(warnings),
    secrets: [
      ...programs.flatMap(({ options }) => [options.queueConnection, options.managementUrl ?? ""].flatMap(secretsOf)),
      ...secretsOfHook(options.onEvent, options.onEventHeader),
    ],
  };
}

const modeFlag = (mode: string): Entry => ({ key: "--mode", value: mode });

/** A key of Supervisor's that stands for a process-wide one is its program's own business. */
const isMisplaced = (name: KeyName, { key }: Entry): boolean => key === name && "processWide" in KEYS[name];

interface Said {
  readonly entries: Entries;
  readonly values: Values;
  readonly otherNames: RawConfig["otherNames"];
}

function makeProgram(raw: RawProgram, { entries, values, otherNames }: Said, tell: Tell): Program | undefined {
  const candidates = [values.name, raw.name, values.queue_name];
  const name = candidates.filter((each) => typeof each === "string").find((each) => each !== "") ?? "";
  const programNames: Names = { ...raw.names, values: { program_name: name, ...raw.names.values } };
  const texts = textsOf(entries, programNames, values.shell === true);
  const faults = textFaults(texts);
  for (const [key, fault] of faults) tell(key, entries.get(key), fault);
  if (texts.env && faults.length === 0) {
    values.env = variablesOf(texts.env, workerNames(programNames, texts.processName, 0));
  }
  const checked = checkOptions(values, { spell: (key) => entries.get(key)?.key ?? key });
  if (checked.kind === "ok") {
    if (faults.length > 0) return undefined;
    const options = { ...checked.options, name };
    const calendar = options.schedule.length === 0 ? null : openCalendar(options.schedule);
    return { name, options, worker: (processNum) => workerSettings(texts, processNum), calendar };
  }
  for (const { key, code, expected } of checked.problems) {
    if (code === "missing") {
      const other = otherNames[key] === undefined ? "" : `; ${otherNames[key]} says the same`;
      tell(key, undefined, `missing; expected ${expected}${other}`);
    }
    if (code === "conflict") tell(key, entries.get(key), `expected ${expected}`);
  }
  return undefined;
}

function sameNames(
  file: string,
  programs: readonly {
    readonly name: string;
    readonly label?: string | undefined;
    readonly line?: number | undefined;
  }[],
): Finding[] {
  return programs
    .filter(({ name }, i) => programs.findIndex((other) => other.name === name) < i)
    .map(({ name, label, line }) => {
      const text = `another program is called ${JSON.stringify(name)} too; give each a name of its own`;
      return { file, line, program: label, key: "name", text };
    });
}

/** As the file goes, and each once. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const unique = new Map(findings.map((finding) => [findingText(finding), finding]));
  return [...unique.values()].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
