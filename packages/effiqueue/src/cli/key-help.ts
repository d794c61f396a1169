/** Every key of a configuration file, for whoever is on a server without the documents. DESIGN 5.2, 7.9. */
import { KEY_NAMES, KEYS, type Key } from "../model/keys.ts";
import { table } from "./table.ts";

export function keyHelp(): string {
  const rows = KEY_NAMES.map((name) => {
    const { help, ...key }: Key = KEYS[name];
    return [`  ${name}`, defaultOf(key), plain(help)];
  });
  return `\nKeys of the file, and what holds without them:\n${table(rows)}`;
}

function defaultOf({ required, default: value, absent }: Omit<Key, "help">): string {
  if (required === true) return "required";
  if (value !== undefined) return typeof value === "string" ? value : JSON.stringify(value);
  return absent !== undefined && absent.length <= LONGEST ? plain(absent) : "";
}

/** Columns that people can read on a terminal; the whole of it is in the reference. */
const LONGEST = 32;

/** Without the marks of Markdown. */
const plain = (text: string): string => text.replaceAll("`", "");
