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
