/**
 * `flexiq autoscale --top`: the autoscaler of this process on the screen of `effiqueue top`. The screen is a process of its own that
 * asks the endpoint, as it would from elsewhere, so nothing of it is in the way of a tick, and no fault of it ends the workers. DESIGN 11.9.
 */
import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createLogger, type Logger, type LogLevel } from "effiqueue";
import type { AutoscaleConfig } from "../autoscale/config.ts";
import { AutoscaleController } from "../autoscale/controller.ts";
import type { ControllerOptions } from "../autoscale/engine.ts";
import type { Queue } from "../queue.ts";
import { UsageError } from "./errors.ts";

/** Any free port, for this machine alone. */
export const OWN_ADDRESS = "127.0.0.1:0";

/** @throws UsageError */
export function assertTerminal(): void {
  if (process.stdout.isTTY && process.stdin.isTTY) return;
  throw new UsageError(
    "--top needs a terminal; without it, --metrics-addr HOST:PORT and `effiqueue top --url http://HOST:PORT` elsewhere",
  );
}

const MOST_EARLY = 100_000;

/** What would be printed over the screen goes to a file, the log of the last such session. */
export class ScreenLog {
  readonly logger: Logger;
  #file: string | undefined;
  /** The folder of the file is made by the autoscaler, which has something to say before that. */
  #early = "";

  constructor(name: string, level: LogLevel | undefined) {
    this.logger = createLogger({
      name,
      ...(level === undefined ? {} : { level }),
      destination: { write: (line) => this.#write(line) },
    });
  }

  /** Where the lines go from now on. */
  begin(file: string): void {
    try {
      writeFileSync(file, this.#early);
      this.#file = file;
    } catch {
      // A log that cannot be written is no reason not to run.
    }
    this.#early = "";
  }

  get file(): string | undefined {
    return this.#file;
  }

  #write(line: string): void {
    if (this.#file === undefined) {
      if (this.#early.length < MOST_EARLY) this.#early += line;
      return;
    }
    try {
      appendFileSync(this.#file, line);
    } catch {
      // A full disk costs lines, not workers.
    }
  }
}

/** Autoscales until the screen is left or a signal comes; resolves when every worker is drained. Throws as `serveForever`. */
export async function autoscaleOnScreen(
  queue: Queue,
  config: AutoscaleConfig,
  log: ScreenLog,
  options: Omit<ControllerOptions, "logger">,
): Promise<void> {
  const { logger } = log;
  const { stateDir = `${queue.dbPath}.autoscale` } = options;
  const output = { stdout: "ignore", stderr: "ignore" } as const;
  const controller = new AutoscaleController(queue, config, { output, ...options, logger });
  // It listens to signals from here on; what it fails with is thrown below.
  const served = controller.serveForever();
  served.catch(() => undefined);
  log.begin(`${stateDir}/top.log`);
  const address = await controller.listen();

  const screen = showScreen(`http://${address ?? ""}`, config.metricsTokenFile);
  const said = screen.ended.then((end) => {
    if (end !== "left") {
      restoreTerminal();
      const elsewhere = `\`effiqueue top --url http://${address ?? ""}\` shows them`;
      say(`the screen ended (${end}); the workers go on until Ctrl-C, and ${elsewhere}`);
      return;
    }
    const live = controller.processManager.countLive();
    if (live > 0) say(`draining ${live} ${live === 1 ? "worker" : "workers"}; Ctrl-C kills them`);
    return controller.stop();
  });
  try {
    await served;
  } finally {
    screen.close();
    await said;
    if (log.file !== undefined) say(`the log of this session is ${log.file}`);
  }
}

const say = (text: string): void => void process.stderr.write(`flexiq: ${text}\n`);

interface Screen {
  /** "left": somebody wanted to; else how it ended. */
  readonly ended: Promise<string>;
  /** It gives the terminal back first. Harmless twice. */
  close(): void;
}

function showScreen(url: string, tokenFile: string | undefined): Screen {
  const cli = fileURLToPath(new URL("./dist/cli/main.js", import.meta.resolve("effiqueue/package.json")));
  // By the channel it hears of our end, whatever that is.
  const token = tokenFile === undefined ? [] : ["--token-file", tokenFile];
  const child = spawn(process.execPath, [cli, "top", "--url", url, ...token], {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(code === 0 || (code ?? 0) > SIGNALLED ? "left" : `${signal ?? code}`));
  });
  return { ended, close: () => void child.kill("SIGTERM") };
}

/** What a screen that was killed could not give back: the first screen, its cursor and wrapping, and keys such as Ctrl-C. */
function restoreTerminal(): void {
  process.stdout.write("\x1b[?7h\x1b[?25h\x1b[?1049l");
  spawnSync("stty", ["sane"], { stdio: ["inherit", "ignore", "ignore"] });
}

/** Exit codes above this are those of signals that asked it to end. */
const SIGNALLED = 128;
