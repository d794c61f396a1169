/**
 * What commands print: aligned columns for people, one JSON value for programs. DESIGN 12.1.
 */
import { visible } from "effiqueue";

export type Cell = string | number;

/** Columns as wide as their widest cell, numbers to the right, two spaces between. Names and texts come from anywhere. */
export function table(rows: readonly (readonly Cell[])[]): string {
  const shown = rows.map((row) => row.map((cell) => (typeof cell === "number" ? cell : visible(cell))));
  const widths: number[] = [];
  for (const row of shown)
    for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, String(cell).length);
  return shown
    .map((row) =>
      row
        .map((cell, i) => pad(cell, widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const pad = (cell: Cell, width: number): string =>
  typeof cell === "number" ? String(cell).padStart(width) : cell.padEnd(width);

/** An answer that got lost, for the disk is full, is a failure to whoever reads its file; a reader that left (`| head`) had enough. */
let unprinted: Error | undefined;

function onPrinted(error?: NodeJS.ErrnoException | null): void {
  if (error != null && error.code !== "EPIPE") unprinted ??= error;
}

/** Once all is written. */
export const lostAnswer = (): Error | undefined => unprinted;

function printText(text: string): void {
  process.stdout.write(`${text}\n`, onPrinted);
}

export function printJson(value: unknown): void {
  printText(JSON.stringify(value, null, 2));
}

/** One or the other, as `--json` says. */
export function print(json: boolean | undefined, value: unknown, text: () => string): void {
  if (json === true) printJson(value);
  else printText(text());
}

export const stamp = (ms: number | null): string => (ms === null ? "-" : new Date(ms).toISOString());

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** At most `width` characters of the first line. */
export function shortened(text: string, width: number): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length <= width ? line : `${line.slice(0, width - 3)}...`;
}
