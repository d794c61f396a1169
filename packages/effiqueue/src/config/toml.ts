/**
 * A TOML file as raw configuration: what stands above the first `[[program]]` is shared; without one the file is one program.
 * DESIGN 5.1.
 */
import { parse, TomlError } from "smol-toml";
import { isKeyName, KEY_NAMES, type KeyName } from "../model/keys.ts";
import { nearest } from "../model/nearest.ts";
import { redact } from "../model/redact.ts";
import { ConfigError, type Finding, noKey } from "./errors.ts";
import type { Names } from "./percent.ts";
import { type Entries, type Entry, isTable, type RawConfig, type RawProgram } from "./raw.ts";
import { tomlLines } from "./toml-lines.ts";

const PROGRAM = "program";

/** The environment is not among them: what may hold a secret is named `${NAME}`, where secrets belong. */
const NO_NAMES: Names = { values: {} };

/** @throws ConfigError for a file that is no TOML; anything else wrong is in `problems` */
export function readToml(file: string, source: string): RawConfig {
  const { [PROGRAM]: programs, ...shared } = parseToml(file, source);
  const lines = tomlLines(source);
  const problems: Finding[] = [];

  const entriesOf = (table: object, path: string, program?: string): Entries => {
    const entries = new Map<KeyName, Entry>();
    for (const [key, value] of Object.entries(table)) {
      const line = lines.get(`${path}${key}`);
      const lineOf = (part: string) => lines.get(`${path}${key}${part}`);
      if (isKeyName(key)) entries.set(key, { key, value, line, lineOf });
      else problems.push({ file, line, program, key, text: unknownKey(key, program === undefined) });
    }
    return entries;
  };

  const sharedEntries = entriesOf(shared, "");
  const tables = programs === undefined ? [] : Array.isArray(programs) ? programs : [programs];
  if (programs !== undefined && (!Array.isArray(programs) || !tables.every(isTable) || tables.length === 0)) {
    const text = "expected tables, each under a [[program]] of its own, in double brackets";
    problems.push({ file, line: lines.get(PROGRAM), key: PROGRAM, text });
  }
  const raw = tables.filter(isTable).map((table, i): RawProgram => {
    const label = labelOf(table, i);
    const path = `${PROGRAM}[${i}]`;
    const entries = entriesOf(table, `${path}.`, label);
    return { label, line: lines.get(path), names: NO_NAMES, entries: addSharedVariables(entries, sharedEntries) };
  });
  return {
    shared: sharedEntries,
    sharedPlace: "above the first [[program]]",
    otherNames: {},
    programs: raw.length === 0 ? [{ names: NO_NAMES, entries: new Map() }] : raw,
    problems,
    warnings: [],
  };
}

/** Variables of a program are added to the shared ones; any other key replaces the shared one. */
function addSharedVariables(entries: Entries, shared: Entries): Entries {
  const [own, common] = [entries.get("env"), shared.get("env")];
  if (own === undefined || common === undefined || !isTable(own.value) || !isTable(common.value)) return entries;
  return new Map([...entries, ["env", { ...own, value: { ...common.value, ...own.value } }]]);
}

function parseToml(file: string, source: string): Record<string, unknown> {
  try {
    return parse(source);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    // What follows the first line quotes the file, passwords and all; so does the cause, which is why it is not passed on.
    const [reason = ""] = cause.message.split("\n");
    const text = `${redact(reason.replace(/^Invalid TOML document: /, "this is no TOML: "))} (column ${cause.column})`;
    throw new ConfigError([{ file, line: cause.line, text }]);
  }
}

/** By the name its owner knows it by; numbers count from 1, as people do. */
function labelOf(table: object, i: number): string {
  const { name, queue_name: queueName } = table as Partial<Record<KeyName, unknown>>;
  const known = [name, queueName].filter((each) => typeof each === "string").find((each) => each !== "");
  return known === undefined ? `program ${i + 1}` : `program ${JSON.stringify(known)}`;
}

function unknownKey(key: string, isShared: boolean): string {
  const meant = nearest(key, isShared ? [...KEY_NAMES, PROGRAM] : KEY_NAMES);
  return noKey(meant === PROGRAM ? "[[program]]" : meant);
}
