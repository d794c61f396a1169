/**
 * A line of the screen as pieces with a meaning each, painted last: what is cut to the width must not be cut within a command to the
 * terminal. Every meaning is in the words or the shapes as well, so nothing is lost without colours. DESIGN 6.8. Pure.
 */
import { clip, widthOf } from "./cells.ts";

/** What a terminal can show. */
export interface Style {
  readonly colour: boolean;
  /** False: ASCII only. */
  readonly unicode: boolean;
}

/** Blue and yellow, weight and inversion: told apart by everybody, on a dark screen and on a light one. */
const CODES = { strong: "1", faint: "2", work: "36", short: "33", alarm: "30;43", chosen: "7" } as const;

export type Ink = keyof typeof CODES;

interface Span {
  readonly text: string;
  readonly ink?: Ink | undefined;
}

export type Line = readonly Span[];

export const BLANK: Line = [];

export const plain = (text: string): Line => [{ text }];

/** @returns text of at most `columns` cells, without its line feed */
export function painted(line: Line, columns: number, { colour, unicode }: Style): string {
  let room = columns;
  let text = "";
  for (const span of line) {
    const cut = clip(span.text, room, unicode ? "…" : "~");
    room -= widthOf(cut);
    text += colour && span.ink !== undefined && cut !== "" ? `\x1b[${CODES[span.ink]}m${cut}\x1b[0m` : cut;
  }
  return colour ? text : text.trimEnd();
}
