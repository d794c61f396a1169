/** The built `effiqueue` command as a process, its passwords looked for in all that it prints. */
import { fileURLToPath } from "node:url";
import { CommandProcess, type Ended, type ProcessOptions } from "./built-command.ts";
import { showsNoPassword } from "./password.ts";

export const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A line of the log. */
export type LogLine = { readonly event?: string; readonly msg: string } & Readonly<Record<string, unknown>>;

export class EffiqueueProcess extends CommandProcess {
  constructor(args: readonly string[], options: ProcessOptions) {
    // Workers outlive a daemon.
    super({ script: CLI, without: "EFFIQUEUE_LOG", endsAt: "exit" }, args, options);
    showsNoPassword(() => this.stdout + this.stderr);
  }

  /** What it has logged as JSON, oldest first. */
  lines(event?: string): LogLine[] {
    return this.stderr
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogLine)
      .filter((line) => event === undefined || line.event === event);
  }

  logged(event: string, timeoutMs?: number): Promise<LogLine> {
    return this.waitFor(() => this.lines(event)[0], event, timeoutMs);
  }
}

/** Runs a command to its end. */
export const effiqueue = (args: readonly string[], options: ProcessOptions): Promise<Ended> =>
  new EffiqueueProcess(args, options).ended;
