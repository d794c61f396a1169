/** `effiqueue run` as a user starts it, on a file of the test; nothing of it or of its workers outlives the test. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { parseExposition, type Sample } from "../../src/report/metrics/parse.ts";
import { EffiqueueProcess } from "./effiqueue-process.ts";
import { killIfThere } from "./kill-if-there.ts";
import { tempDir } from "./temp-dir.ts";

const MARK = "EFFIQUEUE_TEST_MARK";

export interface DaemonSetup {
  readonly dir: string;
  /** The configuration. */
  readonly file: string;
  /** In the environment of the daemon and of everything that it starts. */
  readonly mark: string;
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
  const mark = randomUUID();
  const living = (): number[] => marked(`${MARK}=${mark}`);
  onTestFinished(() => {
    for (const pid of living()) killIfThere(pid);
  });
  const start = (through: readonly string[], args: readonly string[]): DaemonProcess =>
    new DaemonProcess(["run", "--config", file, "--state-dir", join(dir, "state"), ...args], {
      cwd: dir,
      env: { ...env, [MARK]: mark },
      through,
    });
  return { dir, file, mark, living, run: (...args) => start([], args), runThrough: (through) => start(through, []) };
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
    return parseExposition(await answer.text());
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

const marked = (mark: string): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark))
    .map(Number);

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1"); // empty for a zombie
  } catch {
    return "";
  }
}
