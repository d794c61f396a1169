/**
 * Text measured in the cells of a terminal, where a letter of Chinese takes two and an accent of its own none: a name that is
 * measured wrongly pushes the rest of its line off the screen. DESIGN 6.8. Pure.
 */
import { eastAsianWidth } from "get-east-asian-width";

const COMBINING = /^[\p{Mn}\p{Me}\u1160-\u11ff]$/u;

function cellsOf(character: string): number {
  return COMBINING.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0);
}

export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += cellsOf(character);
  return width;
}

/** At most `width` cells; what is cut off ends in `end`. */
export function clip(text: string, width: number, end: string): string {
  if (widthOf(text) <= width) return text;
  const room = width - widthOf(end);
  return room < 0 ? firstCells(text, width) : firstCells(text, room) + end;
}

export const padded = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Lines of at most `width` cells, broken between words where that can be. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (widthOf(longer) <= width) {
      line = longer;
      continue;
    }
    if (line !== "") lines.push(line);
    line = word;
    while (widthOf(line) > width) {
      const head = firstCells(line, Math.max(2, width));
      lines.push(head);
      line = line.slice(head.length);
    }
  }
  return line === "" ? lines : [...lines, line];
}

function firstCells(text: string, width: number): string {
  let taken = "";
  let room = width;
  for (const character of text) {
    room -= cellsOf(character);
    if (room < 0) break;
    taken += character;
  }
  return taken;
}
