/**
 * How a command fails: an exit code that scripts can act on. What it says is in `error-text.ts`. DESIGN 12.1.
 */
import { CommanderError } from "commander";
import { FlexiqError } from "../errors.ts";

export const EXIT = { done: 0, failed: 1, usage: 64, refused: 69, busy: 75 } as const;

/** The command line itself is wrong: exit 64. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError || error instanceof CommanderError) return EXIT.usage;
  if (!(error instanceof FlexiqError)) return EXIT.failed;
  if (error.code === "busy") return EXIT.busy;
  if (error.code === "locked-by-other" || error.code === "cannot-listen") return EXIT.refused;
  return error.code === "invalid-option" ? EXIT.usage : EXIT.failed;
}
