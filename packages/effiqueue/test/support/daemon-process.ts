/** `effiqueue run` as a user starts it, on a file of the test; nothing of it or of its workers outlives the test. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseExposition, type Sample } from "../../src/report/metrics/parse.ts";
import { EffiqueueProcess } from "./effiqueue-process.ts";
import { newMark } from "./marked.ts";
import { expectNoPassword, showsNoPassword, textBelow } from "./password.ts";
import { tempDir } from "./temp-dir.ts";

export interface DaemonSetup {
  readonly dir: string;
  /** The configuration. */
  readonly file: string;
  /** Starts a daemon on it, the first or a successor. */
  readonly run: (...args: string[]) => DaemonProcess;
  /** The same behind another command. */
  readonly runThrough: (through: readonly string[]) => DaemonProcess;
  /** Living processes of the daemon and of its workers. */
  readonly living: () => number[];
}

/** @param config TOML, or a Supervisor file by `name` */
export function daemonOn(
  config: string,
  name = "effiqueue.toml",
  env: Readonly<Record<string, string>> = {},
): DaemonSetup {
  const dir = tempDir();
  const file = join(dir, name);
  writeFileSync(file, config);
  // Locks, lists of workers and whatever else it leaves.
  showsNoPassword(() => textBelow(join(dir, "state")));
  const mark = newMark();
  const start = (through: readonly string[], args: readonly string[]): DaemonProcess =>
    new DaemonProcess(["run", "--config", file, "--state-dir", join(dir, "state"), ...args], {
      cwd: dir,
      env: { ...env, ...mark.env },
      through,
    });
  const { living } = mark;
  return { dir, file, living, run: (...args) => start([], args), runThrough: (through) => start(through, []) };
}

export class DaemonProcess extends EffiqueueProcess {
  /** Pids of its workers, in the order in which it spawned or adopted them. */
  workers(event: "act.worker.spawned" | "act.worker.adopted" = "act.worker.spawned"): number[] {
    return this.lines(event).map(({ pid }) => Number(pid));
  }

  /** Resolves once it has spawned or adopted so many. */
  async workersOf(count: number, event?: "act.worker.spawned" | "act.worker.adopted"): Promise<number[]> {
    return this.waitFor(() => {
      const pids = this.workers(event);
      return pids.length >= count ? pids : undefined;
    }, `${count} workers`);
  }

  /** `http://HOST:PORT` of its endpoint. */
  async url(): Promise<string> {
    const { metrics_addr: address } = await this.logged("app.daemon.started");
    return `http://${String(address)}`;
  }

  async metrics(): Promise<readonly Sample[]> {
    const answer = await fetch(`${await this.url()}/metrics`);
    const text = await answer.text();
    expectNoPassword(text);
    return parseExposition(text);
  }

  /** The value of the only series of this name; `undefined`: it is absent. */
  async metric(name: string): Promise<number | undefined> {
    return (await this.metrics()).find((sample) => sample.name === name)?.value;
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    this.kill("SIGTERM");
    return (await this.ended).code;
  }
}
