/**
 * What commands print: aligned columns for people, one JSON value for programs, files where they are told to. DESIGN 7.9.
 */
import { visible } from "../model/visible.ts";
import { FailedError } from "./errors.ts";

/** Columns as wide as their widest cell, two spaces between. */
export function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(visible));
  const widths: number[] = [];
  for (const row of shown) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return shown
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

export function printText(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printJson(value: unknown): void {
  printText(JSON.stringify(value, null, 2));
}

/** @throws FailedError naming the file */
export function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new FailedError(`${file}: cannot be written`, { cause });
  }
}
