/**
 * The keys of one section of a Supervisor file: ours, Supervisor's that stand for ours, those that are not read, and those
 * that nobody knows. DESIGN 5.3.
 */
import { isKeyName, KEY_NAMES, KEYS, type Key, type KeyName } from "../model/keys.ts";
import { onOff } from "../model/kinds.ts";
import { nearest } from "../model/nearest.ts";
import { faultOf, noKey, SyntaxFault } from "./errors.ts";
import type { IniEntry, IniSection } from "./ini.ts";
import { expandPercent, type Names, type PercentRule } from "./percent.ts";
import { type Entries, type Entry, isWorkerText } from "./raw.ts";
import { NOT_READ, SPECIAL, STANDS_FOR } from "./supervisor-keys.ts";

export type Tell = (severity: "problem" | "warning", line: number, text: string, key?: string) => void;

/** Keys of ours only. */
export function readShared(section: IniSection, names: Names, tell: Tell): Entries {
  const reader = new SectionReader(section, names, tell);
  reader.readOurs();
  reader.tellUnknown(KEY_NAMES);
  return reader.entries;
}

/** `autostart=false` is not started, as in Supervisor. */
export function readProgram(section: IniSection, names: Names, tell: Tell): { entries: Entries; isStarted: boolean } {
  const reader = new SectionReader(section, names, tell);
  reader.readOurs();
  reader.readTheirs();
  reader.tellNotRead();
  reader.tellUnknown([...KEY_NAMES, ...Object.keys(STANDS_FOR), ...Object.keys(NOT_READ), ...SPECIAL]);
  return { entries: reader.entries, isStarted: reader.readAutostart() };
}

class SectionReader {
  readonly entries = new Map<KeyName, Entry>();
  readonly #given = new Map<string, IniEntry>();
  readonly #names: Names;
  readonly #tell: Tell;

  constructor(section: IniSection, names: Names, tell: Tell) {
    this.#names = names;
    this.#tell = tell;
    for (const entry of section.entries) {
      if (this.#given.has(entry.key)) tell("warning", entry.line, "comes twice; this one holds", entry.key);
      this.#given.set(entry.key, entry);
    }
  }

  readOurs(): void {
    for (const entry of this.#given.values()) {
      const { key } = entry;
      // Supervisor's `priority` is another thing than ours.
      if (!isKeyName(key) || Object.hasOwn(NOT_READ, key)) continue;
      const isSupervisors = STANDS_FOR[key] === key || key === "env";
      this.entries.set(key, this.#entry(entry, key, isSupervisors ? "strict" : "lenient"));
    }
  }

  readTheirs(): void {
    const isRedirected = this.#switch("redirect_stderr", false);
    for (const [key, name] of Object.entries(STANDS_FOR)) {
      const entry = this.#given.get(key);
      if (entry === undefined || key === name) continue;
      const holder = this.entries.get(name)?.key;
      if (holder !== undefined) {
        this.#tell("warning", entry.line, `not read, because ${holder} says the same`, key);
      } else if (key === "stderr_logfile" && isRedirected) {
        this.#tell("warning", entry.line, "not read, because redirect_stderr sends errors to stdout", key);
      } else {
        if (key === "max") this.#tell("warning", entry.line, "is the old name of max_workers", key);
        this.entries.set(name, this.#entry(entry, name, "strict"));
      }
    }
    const stdout = this.entries.get("stdout");
    if (isRedirected && stdout !== undefined && !this.entries.has("stderr")) this.entries.set("stderr", stdout);
  }

  readAutostart(): boolean {
    const isStarted = this.#switch("autostart", true);
    const { line = 0 } = this.#given.get("autostart") ?? {};
    if (!isStarted) this.#tell("warning", line, "the program is left out", "autostart");
    return isStarted;
  }

  tellNotRead(): void {
    for (const { key, value, line } of this.#given.values()) {
      const notRead = Object.hasOwn(NOT_READ, key) ? NOT_READ[key] : undefined;
      if (notRead === undefined || notRead.unless?.test(value) === true) continue;
      this.#tell("warning", line, `not read: ${notRead.why}`, key);
    }
    const { value, line } = this.#given.get("autorestart") ?? { value: "true", line: 0 };
    const isRestarted = onOff.fromText?.(value);
    if (isRestarted === false || value.toLowerCase() === "unexpected") {
      const text = "a worker that exits is replaced whenever the queue needs one, whatever its exit code";
      this.#tell("warning", line, text, "autorestart");
    } else if (isRestarted !== true) {
      this.#tell("problem", line, "expected true, false or unexpected", "autorestart");
    }
  }

  tellUnknown(known: readonly string[]): void {
    for (const { key, line } of this.#given.values()) {
      if (known.includes(key)) continue;
      const meant = Object.hasOwn(STANDS_FOR, key) ? STANDS_FOR[key] : nearest(key, known);
      this.#tell("problem", line, noKey(meant), key);
    }
  }

  #switch(key: (typeof SPECIAL)[number], otherwise: boolean): boolean {
    const entry = this.#given.get(key);
    if (entry === undefined) return otherwise;
    let text = entry.value;
    const fault = faultOf(() => (text = expandPercent(text, "strict", this.#names)));
    const value = onOff.fromText?.(text);
    if (typeof value === "boolean") return value;
    this.#tell("problem", entry.line, fault ?? `expected ${onOff.expected}`, key);
    return otherwise;
  }

  #entry({ key, line, value: written }: IniEntry, name: KeyName, percent: PercentRule): Entry {
    const kind: Key["kind"] = KEYS[name].kind;
    if (key === name && "tomlOnly" in KEYS[name]) return { key, line, fault: NO_TABLES, written, value: written };
    let value = written;
    const fault = faultOf(() => {
      const text = isWorkerText(name) ? written : expandPercent(written, percent, this.#names);
      value = this.#translated(key, text, line);
    });
    return { key, line, percent, fault, written, value: kind.fromText?.(value) ?? value };
  }

  /** Values that Supervisor spells in its own way. */
  #translated(key: string, text: string, line: number): string {
    if (key === "stopasgroup") {
      const isGroup = onOff.fromText?.(text);
      if (typeof isGroup !== "boolean") throw new SyntaxFault(`expected ${onOff.expected}`);
      return isGroup ? "group" : "leader";
    }
    if (key !== "stdout_logfile" && key !== "stderr_logfile") return text;
    if (/^(none|off|\/dev\/null)$/i.test(text)) return "null";
    if (/^\/dev\/(stdout|stderr)$|^\/(dev|proc\/self)\/fd\/[12]$/.test(text)) return "inherit";
    if (!/^(auto|syslog)$/i.test(text)) return text;
    this.#tell("warning", line, "output goes where the daemon's goes", key);
    return "inherit";
  }
}

const NO_TABLES =
  "takes tables, which this format cannot hold; write the programs as TOML, with a [[program.schedule]] each";
