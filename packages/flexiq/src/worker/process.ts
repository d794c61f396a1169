/**
 * A worker as a process of its own: what signals and stray errors mean. DESIGN 10.2, 10.6.
 *
 * | event                          | loading the app | serving                  | stopping               | aborting        |
 * | ------------------------------ | --------------- | ------------------------ | ---------------------- | --------------- |
 * | SIGTERM, SIGINT                | exit 0          | stop, exit 0             | give jobs back, exit 0 | exit 1 at once  |
 * | error that no handler caught   | exit 1          | fail its job, stop, exit 1 | fail its job, exit 1 | exit 1          |
 * | `process.exit()` of the app     | a word, not 0   | exit 1 at once           | exit 1 at once         | exit 1 at once  |
 */
import type { Logger } from "effiqueue";
import { exitWhileLoading } from "../app/load.ts";
import type { JobId } from "../model.ts";
import { currentJobIfAny } from "./context.ts";
import { errorText } from "./error-text.ts";
import { Worker, type WorkerOptions, type WorkerQueue } from "./worker.ts";

/**
 * After an error that nobody caught, a handler may wait for something that never comes. The others get this long to
 * end; what is left then has failed, so that a job which wrecks its worker each time ends in the dead letters.
 */
const WRECKED_DRAIN_MS = 10_000;

const EXIT_DONE = 0;
const EXIT_FAILED = 1;
const EXIT_TRY_AGAIN = 75;

/**
 * Loads the queue, serves it until told to stop, and resolves with the exit code.
 *
 * @throws what `load` throws, or FlexiqError when the file cannot be used
 */
export async function runWorkerProcess(
  load: () => Promise<WorkerQueue>,
  options: WorkerOptions & { readonly log: Logger },
): Promise<number> {
  const { log } = options;
  const serving: { worker?: Worker } = {};
  let signals = 0;
  let exitCode = EXIT_DONE;

  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1;
    log.info({ signal, count: signals }, `got ${signal}`);
    const { worker } = serving;
    // Before it serves it holds nothing, and an app that never finishes loading must not make it immortal.
    if (worker === undefined) exitWhileLoading(EXIT_DONE);
    if (signals === 1) void worker.stop();
    else if (signals === 2) void worker.abort();
    else {
      process.off("exit", onExit);
      process.exit(EXIT_FAILED);
    }
  };

  // Whoever looks after the worker must not take this for a regular end.
  const onExit = (code: number): void => {
    // The event comes from within the call.
    const job = currentJobIfAny();
    const who = job === undefined ? "the app or one of its handlers" : `the handler of job ${job.id} (${job.task})`;
    log.error({ exit_code: code, job_id: job?.id }, `ended from within: ${who} called process.exit()`);
    if (job !== undefined) leave(job.id, code);
    if (code === EXIT_DONE) process.exitCode = EXIT_FAILED;
  };

  const leave = (id: JobId, code: number): void => {
    try {
      serving.worker?.leaveAtOnce(id, `its handler called process.exit(${code})`);
    } catch (error) {
      log.error(
        { error: errorText(error) },
        "the jobs that it ran count as attempted, for they could not be given back",
      );
    }
  };

  const onStrayError = (error: unknown): void => {
    const { worker } = serving;
    const job = currentJobIfAny();
    const text = errorText(error);
    log.error({ error: text, job_id: job?.id }, `an error that nobody caught stops this worker: ${text}`);
    exitCode = EXIT_FAILED;
    if (worker === undefined) exitWhileLoading(EXIT_FAILED);
    if (job !== undefined) worker.failJob(job.id, `an error that its handler did not catch: ${text}`);
    void worker.stop();
    setTimeout(
      () => void worker.abort(`its worker stopped after an error that nobody caught: ${text}`),
      WRECKED_DRAIN_MS,
    );
  };

  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  const queue = await load();
  // Only from here: an error while the app loads is the loader's to explain.
  process.on("uncaughtException", onStrayError);
  const worker = new Worker(queue, options);
  serving.worker = worker;
  process.on("exit", onExit);
  try {
    await worker.start();
    await worker.done;
  } finally {
    process.off("exit", onExit);
  }
  return exitCode === EXIT_DONE && worker.undelivered > 0 ? EXIT_TRY_AGAIN : exitCode;
}
