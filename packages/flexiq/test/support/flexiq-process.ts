/** The built `flexiq` command as a process. */
import { fileURLToPath } from "node:url";
import { CommandProcess, type Ended, type ProcessOptions } from "../../../effiqueue/test/support/built-command.ts";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** An app of `test/fixtures`, as `--app` takes it. */
export const fixture = (name: string): string => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

export class FlexiqProcess extends CommandProcess {
  constructor(args: readonly string[], options: ProcessOptions) {
    super({ script: CLI, without: "FLEXIQ_DB_PATH", endsAt: "close" }, args, options);
  }

  /** Resolves when the text has been logged. */
  async logged(text: string): Promise<void> {
    await this.waitFor(() => this.stderr.includes(text), `"${text}" in the log`);
  }
}

/** Runs a command to its end. */
export const flexiq = (args: readonly string[], options: ProcessOptions): Promise<Ended> =>
  new FlexiqProcess(args, options).ended;

export interface WorkerProcessOptions extends ProcessOptions {
  readonly app?: string;
  readonly args?: readonly string[];
}

/** A worker, on its way to serve; `FLEXIQ_DB_PATH` is `q.db` of its folder, unless `env` says otherwise. */
export function spawnWorker({ app, args = [], cwd, env }: WorkerProcessOptions): FlexiqProcess {
  return new FlexiqProcess(["worker", "--app", app ?? fixture("tasks.mjs"), ...args], {
    cwd,
    env: { FLEXIQ_DB_PATH: `${cwd}/q.db`, ...env },
  });
}

/** A worker that serves. */
export async function startWorker(options: WorkerProcessOptions): Promise<FlexiqProcess> {
  const worker = spawnWorker(options);
  await worker.logged(" serves ");
  return worker;
}
