/**
 * A Supervisor `.conf` as raw configuration: every `[program:NAME]` is a program, `[effiqueue]` holds what is shared. What
 * Supervisor knows and we do not is a warning, what neither knows an error. DESIGN 5.3.
 */
import { KEYS, type KeyName } from "../model/keys.ts";
import { nearest } from "../model/nearest.ts";
import type { Environment } from "./environment.ts";
import type { Finding } from "./errors.ts";
import { parseIni } from "./ini.ts";
import type { Names } from "./percent.ts";
import type { Entries, Entry, RawConfig, RawProgram } from "./raw.ts";
import { OTHER_SECTIONS, UNMISSED_SECTIONS } from "./supervisor-keys.ts";
import { readProgram, readShared, type Tell } from "./supervisor-section.ts";

const SHARED = "effiqueue";
const PROGRAM = "program";

export interface SupervisorPlace {
  /** The folder of the file, absolute: `%(here)s`. */
  readonly here: string;
  readonly hostname: string;
  readonly env: Environment;
}

export function readSupervisor(file: string, source: string, { env, here, hostname }: SupervisorPlace): RawConfig {
  const { sections, faults } = parseIni(source);
  const problems: Finding[] = faults.map((fault) => ({ file, ...fault }));
  const warnings: Finding[] = [];
  const machine = { here, host_node_name: hostname };

  const environments: Entry[] = [];
  let shared: Entries = new Map();
  const programs: (RawProgram & { readonly isStarted: boolean })[] = [];
  for (const section of sections) {
    const [kind = "", ...rest] = section.name.split(":");
    const label = `[${section.name}]`;
    const tell: Tell = (severity, line, text, key) =>
      (severity === "problem" ? problems : warnings).push({ file, line, program: label, key, text });
    if (section.name === SHARED) {
      shared = readShared(section, { values: machine, env }, tell);
    } else if (kind === PROGRAM && rest.length > 0) {
      const name = rest.join(":").trim();
      if (!/^[^\s:/]+$/.test(name)) tell("problem", section.line, "a program's name holds no space, colon or slash");
      const names: Names = { values: { ...machine, program_name: name, group_name: name }, env };
      programs.push({ label, name, line: section.line, names, ...readProgram(section, names, tell) });
    } else if (Object.hasOwn(OTHER_SECTIONS, kind)) {
      tell("warning", section.line, OTHER_SECTIONS[kind] ?? "");
      const environment = kind === "supervisord" && section.entries.findLast(({ key }) => key === "environment");
      if (environment) environments.push({ ...environment, percent: "strict" });
    } else if (!UNMISSED_SECTIONS.includes(kind)) {
      tell("problem", section.line, unknownSection(kind));
    }
  }

  const started = programs.filter(({ isStarted }) => isStarted);
  if (problems.length === 0 && started.length === 0) problems.push({ file, text: noProgram(programs.length) });
  return {
    ...divided(withVariables(shared, environments), started),
    sharedPlace: `to [${SHARED}]`,
    otherNames: { max_workers: "numprocs" },
    problems,
    warnings,
  };
}

/**
 * Which entries are shared and which a program's own. What the only program of a file says of the process may stand inside
 * it: there is no other program that it could surprise.
 */
function divided(shared: Entries, programs: readonly RawProgram[]): Pick<RawConfig, "shared" | "programs"> {
  const [first, ...others] = programs.map((program) => {
    const common = shared.get("env");
    return common && program.entries.has("env")
      ? { ...program, entries: withVariables(program.entries, [common]) }
      : program;
  });
  if (first === undefined || others.length > 0) return { shared, programs: first ? [first, ...others] : [] };
  const isMoved = ([name, { key }]: [KeyName, Entry]) =>
    key === name && "processWide" in KEYS[name] && !shared.has(name);
  return {
    shared: new Map([...shared, ...[...first.entries].filter(isMoved)]),
    programs: [{ ...first, entries: new Map([...first.entries].filter((each) => !isMoved(each))) }],
  };
}

/** Variables are added up: those of a program after the shared ones, so that they win. */
function withVariables(entries: Entries, before: readonly Entry[]): Entries {
  const own = entries.get("env");
  const lists = [...before, ...(own ? [own] : [])];
  const last = lists.at(-1);
  if (last === undefined) return entries;
  const value = lists.map((each) => String(each.value).replace(/[\s,]+$/, "")).filter((list) => list !== "");
  return new Map([...entries, ["env", { ...last, value: value.join(",") }]]);
}

function noProgram(declared: number): string {
  return declared > 0
    ? "leaves no program to run: every one has autostart=false"
    : "holds no [program:NAME]; if they are in files that it includes, give one of those";
}

function unknownSection(kind: string): string {
  const meant = nearest(kind, [PROGRAM, SHARED, ...UNMISSED_SECTIONS, ...Object.keys(OTHER_SECTIONS)]);
  const hint = meant === undefined ? "" : `, did you mean [${meant === PROGRAM ? "program:NAME" : meant}]?`;
  return `is no section${hint}`;
}
