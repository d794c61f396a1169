/** The known name that a misspelt one probably meant. DESIGN 12. */

/** `undefined` when none is closer than a third of the name; one that begins like `given` always is. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  const typed = given.toLowerCase();
  const [best] = known
    .map((name) => ({ name, lower: name.toLowerCase() }))
    .map(({ name, lower }) => ({ name, distance: lower.startsWith(typed) ? 1 : distance(typed, lower) }))
    .filter((each) => each.distance <= Math.max(2, Math.floor(each.name.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.name;
}

/** Edits (insert, delete, replace) from one to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      const replaced = (row[j] ?? 0) + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
