/**
 * Text that comes from elsewhere, as a person may see it on a terminal: names, words of a broker or of a proxy. None may begin a line
 * of its own, command the terminal, turn the direction of what follows or hide a part of itself. DESIGN 6.2. Pure.
 */

/** Controls, what is invisible or directs (zero width, bidirectional, tags), separators of lines, halves of pairs. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

export const visible = (text: string): string => text.replaceAll(INVISIBLE, escaped);

/** The same of a text whose lines are ours, though names in them may not be. */
export const visibleLines = (text: string): string => text.split("\n").map(visible).join("\n");

function escaped(character: string): string {
  if (character === "\n") return "\\n";
  const code = character.codePointAt(0) ?? 0;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, "0")}` : `\\u{${code.toString(16)}}`;
}
