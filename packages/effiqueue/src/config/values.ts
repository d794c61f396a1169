/** The values of a file as they are meant, and what is wrong with each by itself. DESIGN 5.1, 5.4. */
import { KEYS, type Key, type KeyName } from "../model/keys.ts";
import type { Environment } from "./environment.ts";
import { faultOf, SyntaxFault } from "./errors.ts";
import type { Entries, Entry } from "./raw.ts";
import { readSchedules } from "./schedules.ts";
import { expandSecrets } from "./secrets.ts";
import { showGot } from "./show.ts";
import { isList } from "./worker.ts";

export type Tell = (name: KeyName, entry: Entry | undefined, text: string) => void;

export type Values = Partial<Record<KeyName, unknown>>;

/** What is wrong with a value by itself is told here, and nowhere else. */
export function readValues(entries: Entries, env: Environment, tell: Tell): Values {
  const values: Values = {};
  for (const [name, entry] of entries) values[name] = readValue(name, entry, env, tell);
  return values;
}

function readValue(name: KeyName, entry: Entry, env: Environment, tell: Tell): unknown {
  // It is read when it has been expanded.
  if (isList(name, entry)) return entry.value;
  if (name === "schedule" && entry.fault === undefined) return schedulesIn(entry, tell);
  const key: Key = KEYS[name];
  let { value } = entry;
  const fault = entry.fault ?? faultOf(() => (value = withSecrets(value, key, env)));
  if (fault !== undefined) tell(name, entry, fault);
  else if (key.kind.read(value) === undefined)
    tell(name, entry, `expected ${key.kind.expected}, ${showGot(entry, key)}`);
  return value;
}

function schedulesIn(entry: Entry, tell: Tell): unknown {
  const { schedules, faults } = readSchedules(entry.value);
  for (const { place, key, text } of faults) {
    const line = entry.lineOf?.(place) ?? entry.lineOf?.(tableOf(place)) ?? entry.line;
    tell("schedule", { ...entry, key, line }, text);
  }
  return schedules;
}

/** What is missing has no line, but its table has. */
const tableOf = (place: string): string => place.replace(/\..*/, "");

/** @throws SyntaxFault */
function withSecrets(value: unknown, key: Key, env: Environment): unknown {
  if (key.secret !== true || typeof value !== "string") return value;
  const text = expandSecrets(value, env);
  if (isUrl(text) && key.kind.read(text) !== undefined && !isWhole(text)) throw new SyntaxFault(NO_URL);
  return text;
}

const isUrl = (text: string): boolean => /^[a-z]+:\/\//i.test(text);

/** An @ behind the host is the end of a password with a / ? or # in it: its beginning would be taken for the host, and printed. */
function isWhole(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { pathname, search, hash } = new URL(url);
  return !`${pathname}${search}${hash}`.includes("@");
}

const NO_URL = "is no URL; special characters in user, password and path have to be percent-encoded";
