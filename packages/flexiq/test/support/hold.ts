/** Jobs of the fixture `hold` and `stubborn`: they run until their file appears, so tests decide when a job ends. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";

export const letGo = (path: string): void => writeFileSync(path, "");

/** A file that is there may be empty still: a job that is stopped between the two would have started for us, and not by its own account. */
export const isStarted = (path: string): boolean =>
  (statSync(`${path}.started`, { throwIfNoEntry: false })?.size ?? 0) > 0;

export async function started(path: string): Promise<void> {
  await waitFor(() => isStarted(path), { what: `a job that holds ${path} to start` });
}

/** The numbers of the attempts that have started. */
export const attempts = (path: string): number[] =>
  readFileSync(`${path}.started`, "utf8").trim().split("\n").map(Number);
