/** How a wrong value is shown in a message: short, and never with a credential in it. DESIGN 5.4. */
import type { Key } from "../model/keys.ts";
import { redact } from "../model/redact.ts";
import type { Entry } from "./raw.ts";

const LONGEST = 80;

export function showGot({ value, written }: Entry, { secret }: Key): string {
  const given = written ?? value;
  return secret === true && typeof given === "string" ? gotAddress(given) : `got ${showValue(given)}`;
}

export const showValue = (value: unknown): string => clip(redact(show(value)));

/** An address is wrong in ways by which no pattern would find the password in it: no more than its scheme is shown. */
function gotAddress(text: string): string {
  if (/^\$\{\w+\}$/.test(text)) return `got what ${text} holds`;
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text) ?? [];
  return `got ${scheme === undefined ? "something else" : `${scheme}...`}, not shown because it may hold a password`;
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Date) return "a date";
  // Variables of an environment are as likely to be passwords as not.
  return Array.isArray(value) ? "a list" : "a table";
}

const clip = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text);
