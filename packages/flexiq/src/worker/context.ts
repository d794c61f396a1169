/**
 * What a handler can ask of the job it runs in, without the job being handed through its code. DESIGN 10.4.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { FlexiqError } from "../errors.ts";
import type { JobContext } from "../model.ts";

const storage = new AsyncLocalStorage<JobContext>();

/**
 * The job that the calling code runs in.
 *
 * @throws FlexiqError `wrong-state` outside of a job
 */
export function currentJob(): JobContext {
  const context = storage.getStore();
  if (context === undefined)
    throw new FlexiqError("wrong-state", "currentJob(): no job runs here; call it inside a task's handler");
  return context;
}

/** `undefined` outside of a job. */
export const currentJobIfAny = (): JobContext | undefined => storage.getStore();

export const runInJob = <T>(context: JobContext, run: () => T): T => storage.run(context, run);

/** Thrown by a handler whose job no retry will save: it goes to the dead letters at once. */
export class NonRetryableError extends Error {
  override readonly name: string = "NonRetryableError";
}
