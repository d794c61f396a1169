/**
 * What one worker is started with: the texts of its program with the worker's number and name put in. DESIGN 5.3.
 */
import { KEYS, type KeyName } from "../model/keys.ts";
import { splitCommand } from "./argv.ts";
import { parseEnvironment } from "./environment.ts";
import { faultOf, SyntaxFault } from "./errors.ts";
import { expandPercent, type Names } from "./percent.ts";
import type { Entries, Entry, WorkerText } from "./raw.ts";

/** In the shapes that the worker pool takes. */
export interface WorkerSettings {
  readonly processName: string;
  readonly command: {
    readonly file: string;
    readonly args: readonly string[];
    readonly shell: boolean;
    readonly cwd?: string;
    readonly env: Readonly<Record<string, string>>;
  };
  readonly output: { readonly stdout: Output; readonly stderr: Output };
}

type Output = "inherit" | "ignore" | { readonly file: string };

export interface WorkerTexts {
  readonly names: Names;
  readonly shell: boolean;
  readonly command: Entry | undefined;
  readonly processName: Entry;
  readonly cwd: Entry | undefined;
  readonly stdout: Entry | undefined;
  readonly stderr: Entry | undefined;
  readonly env: Entry | undefined;
}

export function textsOf(entries: Entries, names: Names, shell: boolean): WorkerTexts {
  const text = (name: WorkerText): Entry | undefined => {
    const entry = entries.get(name);
    // What is of the wrong kind is reported as that.
    const isGood = entry !== undefined && (isList(name, entry) || KEYS[name].kind.read(entry.value) !== undefined);
    return isGood ? entry : undefined;
  };
  return {
    names,
    shell,
    command: text("command"),
    processName: text("process_name") ?? { key: "process_name", value: KEYS.process_name.default },
    cwd: text("cwd"),
    stdout: text("stdout"),
    stderr: text("stderr"),
    env: text("env"),
  };
}

/** Supervisor's `environment`: text that is a list of variables once it has been expanded. */
export const isList = (name: KeyName, { value, percent }: Entry): boolean =>
  name === "env" && typeof value === "string" && percent !== undefined;

/** What is wrong with each. What can be read for worker 0 can be read for every worker. */
export function textFaults(texts: WorkerTexts): [WorkerText, string][] {
  const { command, processName, cwd, stdout, stderr, env } = texts;
  const names = workerNames(texts.names, ANY_NAME, 0);
  const readers: [WorkerText, () => unknown][] = [
    ["process_name", () => workerNames(texts.names, processName, 0)],
    ["command", () => command && argvOf(command, texts.shell, names)],
    ["cwd", () => cwd && expanded(cwd, names)],
    ["stdout", () => stdout && expanded(stdout, names)],
    ["stderr", () => stderr && expanded(stderr, names)],
    ["env", () => env && variablesOf(env, names)],
  ];
  return readers.flatMap(([name, read]) => {
    const fault = faultOf(read);
    return fault === undefined ? [] : [[name, fault]];
  });
}

const ANY_NAME: Entry = { key: "process_name", value: "worker" };

/** Of texts that were checked. */
export function workerSettings(texts: WorkerTexts, processNum: number): WorkerSettings {
  const names = workerNames(texts.names, texts.processName, processNum);
  const [file = "", ...args] = texts.command ? argvOf(texts.command, texts.shell, names) : [];
  return {
    processName: String(names.values["process_name"]),
    command: {
      file,
      args,
      shell: texts.shell,
      ...(texts.cwd && { cwd: expanded(texts.cwd, names) }),
      env: texts.env ? variablesOf(texts.env, names) : {},
    },
    output: { stdout: outputOf(texts.stdout, names), stderr: outputOf(texts.stderr, names) },
  };
}

/** The names of a program together with those of one of its workers. */
export function workerNames(program: Names, processName: Entry, processNum: number): Names {
  const numbered: Names = { ...program, values: { ...program.values, process_num: processNum } };
  return { ...program, values: { ...numbered.values, process_name: expanded(processName, numbered) } };
}

/** @throws SyntaxFault */
function argvOf(command: Entry, shell: boolean, names: Names): readonly string[] {
  const line = expanded(command, names);
  const argv = shell ? [line] : splitCommand(line);
  if (argv[0] === "") throw new SyntaxFault("names no program to run");
  return argv;
}

/** From a table, where the format has tables; else from Supervisor's list, which is expanded before it is taken apart. */
export function variablesOf(entry: Entry, names: Names): Readonly<Record<string, string>> {
  if (typeof entry.value === "string") return parseEnvironment(expanded(entry, names));
  const variables = Object.entries(entry.value as Readonly<Record<string, string>>);
  return Object.fromEntries(variables.map(([name, value]) => [name, expandPercent(value, "lenient", names)]));
}

function expanded({ value, percent = "lenient" }: Entry, names: Names): string {
  return expandPercent(String(value), percent, names);
}

function outputOf(entry: Entry | undefined, names: Names): Output {
  const text = entry === undefined ? "inherit" : expanded(entry, names);
  if (text === "inherit") return "inherit";
  return text === "null" ? "ignore" : { file: text };
}
