/** Aligned columns for people. A module of its own, for not every command needs to know how wide a character is. DESIGN 7.9, 6.8. */
import { visible } from "../model/visible.ts";
import { padded, widthOf } from "../report/top/cells.ts";

/** Columns as wide as their widest cell, two spaces between. */
export function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(visible));
  const widths: number[] = [];
  for (const row of shown) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, widthOf(cell));
  return shown
    .map((row) =>
      row
        .map((cell, i) => padded(cell, widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
