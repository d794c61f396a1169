/** `effiqueue run`: the daemon, until it is told to stop. DESIGN 7.9. */
import { Command } from "commander";
import { startDaemon } from "../app/daemon.ts";
import { keepHeapSmall } from "../app/heap.ts";
import type { Daemon } from "../app/running-daemon.ts";
import { onStopRequest } from "../app/stop-requests.ts";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../loop/clock.ts";
import { redactor } from "../model/redact.ts";
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
  const requests = new StopRequests();
  const config = loadConfig(requiredConfig(file), { mode });
  const logger = loggerOf(logLevel);
  onFault(logger, redactor(config.secrets));
  const daemon = await startDaemon(config, { logger, stateDir, metricsAddr });
  requests.reach(daemon);
  await daemon.ended;
  if (requests.count > 1) process.exitCode = EXIT.failed;
}

/** The first request drains, the second kills. One that comes while the daemon starts is carried out as soon as it has. */
class StopRequests {
  count = 0;
  #signal = "";
  #daemon: Daemon | undefined;

  constructor() {
    onStopRequest(systemClock, (count, signal) => {
      this.count = count;
      this.#signal = signal;
      this.#carryOut();
    });
  }

  reach(daemon: Daemon): void {
    this.#daemon = daemon;
    this.#carryOut();
  }

  #carryOut(): void {
    // What a stop fails with is what `ended` says.
    if (this.count > 0) this.#daemon?.stop(this.#signal).catch(() => undefined);
    if (this.count > 1) this.#daemon?.kill();
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
