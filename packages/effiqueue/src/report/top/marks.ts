/** Numbers as marks: a bar, and a row of past values. DESIGN 6.8. Pure. */
import type { Style } from "./line.ts";

type Marks = Pick<Style, "unicode">;

/** Told apart by their shape, not by their colour. */
export type Fill = "solid" | "medium" | "light";

const FILLS: Readonly<Record<Fill, readonly [string, string]>> = {
  solid: ["█", "#"],
  medium: ["▒", "+"],
  light: ["░", "-"],
};

/** What is there is never drawn as nothing. @param share of the width, in [0, 1] */
export function bar(share: number, width: number, fill: Fill, { unicode }: Marks): string {
  const cells = Math.min(1, Math.max(0, share)) * width;
  const [block, ascii] = FILLS[fill];
  const whole = share > 0 ? Math.max(1, Math.round(cells)) : 0;
  if (!unicode) return ascii.repeat(whole);
  if (fill !== "solid") return block.repeat(whole);
  const eighths = share > 0 ? Math.max(1, Math.round(cells * 8)) : 0;
  const rest = eighths % 8;
  // U+258F is one eighth of a cell, U+2589 seven.
  return block.repeat((eighths - rest) / 8) + (rest === 0 ? "" : String.fromCodePoint(0x2590 - rest));
}

const HEIGHTS = { unicode: "▁▂▃▄▅▆▇█", ascii: "_.-=+*%#" };
const NEVER = "!";

/**
 * One mark for each value, the newest at the right end, from 0 to the highest shown. An unknown value is a gap, not the bottom; an
 * infinite one is `!`.
 */
export function sparkline(values: readonly (number | null)[], width: number, { unicode }: Marks): string {
  const shown = values.slice(Math.max(0, values.length - width));
  const highest = Math.max(0, ...shown.map((value) => (value !== null && Number.isFinite(value) ? value : 0)));
  const heights = unicode ? HEIGHTS.unicode : HEIGHTS.ascii;
  const mark = (value: number | null): string => {
    if (value === null) return " ";
    if (!Number.isFinite(value)) return NEVER;
    if (value <= 0) return heights.charAt(0);
    return heights.charAt(Math.max(1, Math.round((value / highest) * (heights.length - 1))));
  };
  return shown.map(mark).join("");
}
