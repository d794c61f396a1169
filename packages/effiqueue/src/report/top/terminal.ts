/**
 * The terminal while the screen has it: entered once, and given back as it was found whatever ends the process, a crash and a lost
 * connection included. DESIGN 6.8.
 */
import { writeSync } from "node:fs";
import { emitKeypressEvents } from "node:readline";
import type { Key } from "./keys.ts";
import type { Style } from "./line.ts";
import type { Size } from "./scene.ts";

/** The other screen, no cursor, no wrapping: a line that is measured wrongly must not push the others down. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
const LEAVE = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/** Terminals that know it show a frame as a whole; the others ignore it. */
const BEGIN_FRAME = "\x1b[?2026h";
const END_FRAME = "\x1b[?2026l";

/** What a terminal has that does not tell. */
const USUAL = { columns: 80, rows: 24 };

export interface TerminalEvents {
  readonly onKey: (key: Key) => void;
  /** Draw again: another size, or back from elsewhere. */
  readonly onChange: () => void;
  /** Nobody looks any more. */
  readonly onGone: () => void;
}

export interface Terminal {
  size(): Size;
  draw(lines: readonly string[]): void;
  /** The next frame is written as a whole, whatever is there. */
  forget(): void;
  /** Gives the terminal to the shell until it is called back. */
  suspend(): void;
  /** Harmless twice. */
  close(): void;
}

/** Honours NO_COLOR (no-color.org) and the locale. */
export function styleOf(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Style {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return {
    colour: stream.isTTY === true && (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    unicode: process.platform === "win32" || /utf-?8/i.test(locale),
  };
}

export function openTerminal({ onKey, onChange, onGone }: TerminalEvents): Terminal {
  const { stdin, stdout } = process;
  let isEntered = false;
  let shown = "";

  const enter = (): void => {
    isEntered = true;
    shown = "";
    if (stdin.isTTY) stdin.setRawMode(true);
    stdout.write(ENTER);
  };
  const leave = (): void => {
    if (!isEntered) return;
    isEntered = false;
    try {
      if (stdin.isTTY) stdin.setRawMode(false);
      // At once: at the exit of the process nothing is written later.
      writeSync(stdout.fd, END_FRAME + LEAVE);
    } catch {
      // It is gone, and there is nothing to give back.
    }
  };
  const suspend = (): void => {
    leave();
    process.off("SIGTSTP", suspend);
    // To the whole job, as the terminal itself does; where there is no shell to come back from, it is nothing.
    process.kill(0, "SIGTSTP");
    setTimeout(() => {
      process.on("SIGTSTP", suspend);
      enter();
      onChange();
    }, RESUME_MS).unref();
  };
  const key = (_: string | undefined, pressed: Key): void => onKey(pressed);
  const changed = (): void => {
    shown = "";
    onChange();
  };

  enter();
  if (stdin.isTTY) {
    emitKeypressEvents(stdin);
    stdin.on("keypress", key).on("end", onGone).on("error", onGone).resume();
  }
  stdout.on("resize", changed).on("error", onGone);
  process.on("exit", leave);
  if (process.platform !== "win32") process.on("SIGTSTP", suspend);

  return {
    size: () => ({ columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows }),
    draw(lines) {
      // Cleared before it is written: after it, the cursor stands on the last cell of a full line.
      const frame = lines.map((line) => `\x1b[K${line}`).join("\r\n");
      // Over a connection that does not keep up a frame is left out, not kept.
      if (!isEntered || frame === shown || stdout.writableNeedDrain) return;
      shown = frame;
      const below = lines.length < this.size().rows ? "\r\n\x1b[J" : "";
      stdout.write(`${BEGIN_FRAME}\x1b[H${frame}${below}${END_FRAME}`);
    },
    forget() {
      shown = "";
      if (isEntered) stdout.write("\x1b[2J");
    },
    suspend,
    close() {
      leave();
      stdin.off("keypress", key).off("end", onGone).off("error", onGone).pause();
      stdout.off("resize", changed).off("error", onGone);
      process.off("exit", leave).off("SIGTSTP", suspend);
    },
  };
}

/** A stopped process waits this long after it was called back; one that could not be stopped, from now. */
const RESUME_MS = 50;
