/** Keys, as Node names them, and what they ask for. DESIGN 6.8. Pure. */
import type { Action } from "./session.ts";

export interface Key {
  readonly name?: string | undefined;
  readonly sequence?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly shift?: boolean | undefined;
}

/** What concerns the terminal and not what it shows. */
export type Command = "quit" | "suspend" | "redraw";

const CONTROLS: Readonly<Record<string, Command>> = { c: "quit", z: "suspend", l: "redraw" };

const KEYS: Readonly<Record<string, Action | "quit">> = {
  q: "quit",
  tab: "next",
  right: "next",
  down: "next",
  n: "next",
  j: "next",
  left: "previous",
  up: "previous",
  k: "previous",
  space: "pause",
  p: "pause",
  h: "help",
  "?": "help",
};

export function meaningOf({
  name = "",
  sequence = "",
  ctrl = false,
  shift = false,
}: Key): Action | Command | undefined {
  if (ctrl) return Object.hasOwn(CONTROLS, name) ? CONTROLS[name] : undefined;
  if (name === "tab" && shift) return "previous";
  if (/^[1-9]$/.test(sequence)) return { program: Number(sequence) };
  return [name, sequence].flatMap((word) => (Object.hasOwn(KEYS, word) ? (KEYS[word] ?? []) : []))[0];
}
