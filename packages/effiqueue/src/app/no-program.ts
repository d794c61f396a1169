/** A program that the daemon which was asked does not have. DESIGN 7.9. */
import { nearest } from "../model/nearest.ts";

export class NoProgramError extends Error {
  override readonly name = "NoProgramError";
  readonly code = "failed";

  constructor(program: string, known: readonly string[]) {
    const meant = nearest(program, known);
    const hint =
      meant === undefined
        ? `it has ${known.map((name) => JSON.stringify(name)).join(", ")}`
        : `did you mean ${JSON.stringify(meant)}?`;
    super(`the daemon has no program ${JSON.stringify(program)}, ${hint}`);
  }
}

/** The program of that name, or every one where none is named. @throws NoProgramError */
export function chosen<T extends { readonly program: string }>(
  programs: readonly T[],
  name: string | undefined,
): readonly T[] {
  if (name === undefined) return programs;
  const found = programs.filter(({ program }) => program === name);
  if (found.length > 0) return found;
  throw new NoProgramError(
    name,
    programs.map(({ program }) => program),
  );
}
