/** `effiqueue run`: the daemon, until it is told to stop. DESIGN 7.9, 7.15. */
import { isatty } from "node:tty";
import { Command } from "commander";
import { startDaemon } from "../app/daemon.ts";
import { keepHeapSmall } from "../app/heap.ts";
import type { Daemon } from "../app/running-daemon.ts";
import { takeNotifyTarget } from "../app/service-manager/target.ts";
import { onStopRequest } from "../app/stop-requests.ts";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/validate.ts";
import { systemClock } from "../loop/clock.ts";
import { Redactor } from "../model/redact.ts";
import { createLogger, type Logger, type LogLevel } from "../report/logger.ts";
import { EXIT, UsageError } from "./errors.ts";
import {
  configOption,
  logLevelOption,
  metricsAddrOption,
  modeOption,
  requiredConfig,
  stateDirOption,
} from "./options.ts";

export function runCommand(): Command {
  return new Command("run")
    .addOption(configOption())
    .addOption(modeOption())
    .addOption(stateDirOption())
    .addOption(logLevelOption())
    .addOption(metricsAddrOption())
    .action(run);
}

interface Flags {
  readonly config?: string;
  readonly mode?: string;
  readonly stateDir?: string;
  readonly logLevel?: LogLevel;
  readonly metricsAddr?: string;
}

async function run({ config: file, mode, stateDir, logLevel, metricsAddr }: Flags): Promise<void> {
  keepHeapSmall();
  const notify = takeNotifyTarget(process.env, process.pid);
  const requests = new Requests(isatty(0));
  const readConfig = (): Config => loadConfig(requiredConfig(file), { mode });
  const config = readConfig();
  const logger = loggerOf(logLevel);
  const redactor = new Redactor(config.secrets);
  onFault(logger, redactor.redact);
  const daemon = await startDaemon(config, {
    notify,
    logger,
    stateDir,
    metricsAddr,
    readConfig: () => {
      const next = readConfig();
      redactor.learn(next.secrets);
      return next;
    },
  });
  requests.reach(daemon);
  await daemon.ended;
  if (requests.stops > 1) process.exitCode = EXIT.failed;
}

/**
 * What signals ask for. The first request to stop drains, the second kills; SIGHUP says that the terminal has gone, or, to a daemon that has
 * none, that its configuration is to be read again. What comes while the daemon starts is carried out as soon as it has.
 */
class Requests {
  stops = 0;
  #signal = "";
  #reload = false;
  #daemon: Daemon | undefined;

  constructor(hasTerminal: boolean) {
    const onStop = (count: number, signal: string): void => {
      this.stops = count;
      this.#signal = signal;
      this.#carryOut();
    };
    onStopRequest(systemClock, onStop, hasTerminal ? ["SIGTERM", "SIGINT", "SIGHUP"] : ["SIGTERM", "SIGINT"]);
    if (hasTerminal) return;
    process.on("SIGHUP", () => {
      this.#reload = true;
      this.#carryOut();
    });
  }

  reach(daemon: Daemon): void {
    this.#daemon = daemon;
    this.#carryOut();
  }

  #carryOut(): void {
    if (this.#daemon === undefined) return;
    // What a stop fails with is what `ended` says, and a reload says itself what is wrong.
    if (this.#reload && this.stops === 0) this.#daemon.reload().catch(() => undefined);
    this.#reload = false;
    if (this.stops > 0) this.#daemon.stop(this.#signal).catch(() => undefined);
    if (this.stops > 1) this.#daemon.kill();
  }
}

/**
 * A fault of ours must neither go on with a state that nobody knows, nor cost a message: the workers run on, and the next daemon
 * adopts them.
 */
function onFault(logger: Logger, redact: (text: string) => string): void {
  process.on("uncaughtException", (thrown: unknown) => {
    const error = redact(thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown));
    logger.error(
      { error },
      "a fault of effiqueue that nobody caught: it ends, the workers run on until the next start",
    );
    process.exit(EXIT.software);
  });
}

function loggerOf(level: LogLevel | undefined): Logger {
  try {
    return createLogger({ name: "effiqueue", subject: "program", ...(level === undefined ? {} : { level }) });
  } catch (error) {
    // The level comes from EFFIQUEUE_LOG.
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}
