/** The known name that a misspelt one probably meant. DESIGN 5.1. Pure. */

/** `undefined` when none is closer than a third of the name; one that begins like `given` always is. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const typed = given.toLowerCase();
  const [best] = known
    .map((name) => ({ name, lower: name.toLowerCase() }))
    .map(({ name, lower }) => ({ name, distance: isBeginning(typed, lower) ? 1 : distance(typed, lower) }))
    .filter((each) => each.distance <= Math.max(1, Math.floor(each.name.length / 3)))
    // Of several that begin like it, the one that lacks a single letter; else the first.
    .sort((a, b) => a.distance - b.distance || Number(lacksOne(typed, b.name)) - Number(lacksOne(typed, a.name)));
  return best?.name;
}

/** One or two letters begin too many names to be a hint. */
const isBeginning = (typed: string, name: string) => typed.length >= 3 && name.startsWith(typed);

const lacksOne = (typed: string, name: string): boolean => name.length - typed.length === 1;

/** Edits (insert, delete, replace, swap of neighbours) from one to the other. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = isSwap ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(replaced, swapped, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
