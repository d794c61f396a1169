/**
 * Shows the demo: redrawn in place on a terminal, one plain line a second anywhere else. A terminal is left as it was
 * found, whatever ends the process.
 */
import { clockText, type Moment, type Note, picture, plainLine, type Style } from "./picture.ts";

export interface Screen {
  /** Called several times a second. */
  show(moment: Moment): void;
  /** Something happened. */
  readonly note: (note: Note) => void;
  /** Gives the terminal back; what is printed afterwards stays. */
  close(): void;
}

const ENTER = "\x1b[?1049h\x1b[?25l\x1b[2J";
const LEAVE = "\x1b[?25h\x1b[?1049l";
const MIN_COLUMNS = 60;
const MIN_ROWS = 20;

/** What this terminal can show; NO_COLOR (no-color.org) and the locale are honoured. */
export function terminalStyle(): Style {
  const { env, stdout } = process;
  return {
    columns: stdout.columns,
    rows: stdout.rows,
    colour: stdout.isTTY && (env["NO_COLOR"] ?? "") === "",
    unicode: /utf-?8/i.test(env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || ""),
  };
}

export function openScreen(): Screen {
  const { stdout, env } = process;
  const roomy = stdout.isTTY && stdout.columns >= MIN_COLUMNS && stdout.rows >= MIN_ROWS;
  return roomy && env["TERM"] !== "dumb" ? liveScreen() : plainScreen();
}

function liveScreen(): Screen {
  const { stdout } = process;
  let last: Moment | undefined;
  let open = true;
  const leave = (): void => {
    if (open) stdout.write(LEAVE);
    open = false;
  };
  const draw = (): void => {
    if (!open || last === undefined) return;
    const lines = picture(last, terminalStyle()).slice(0, stdout.rows);
    // Every line clears its own rest, and only what is below is cleared at once: nothing flickers.
    stdout.write(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join("\r\n")}\x1b[J`);
  };
  stdout.write(ENTER);
  stdout.on("resize", draw);
  process.once("exit", leave);
  return {
    show(moment) {
      last = moment;
      draw();
    },
    note: () => undefined, // it is in the next picture
    close() {
      leave();
      stdout.off("resize", draw);
      if (last === undefined) return;
      const style = terminalStyle();
      stdout.write(`${picture(last, style).join("\n")}\n`);
    },
  };
}

function plainScreen(): Screen {
  let shownSec = -1;
  return {
    show(moment) {
      const second = Math.floor(moment.elapsedSec);
      if (second === shownSec) return;
      shownSec = second;
      console.log(plainLine(moment));
    },
    note: ({ atSec, text }) => console.log(`${clockText(atSec)}  * ${text}`),
    close() {},
  };
}
