/**
 * The daemon: a configuration as programs that run, each part knowing the others only through ports. DESIGN 7.9.
 */
import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/validate.ts";
import { systemClock } from "../loop/clock.ts";
import { ControlLoop } from "../loop/control-loop.ts";
import type { Clock, Reporter } from "../model/ports.ts";
import { Redactor } from "../model/redact.ts";
import { hostMemoryProbe } from "../observe/host/index.ts";
import { type Board, openBoard } from "../report/board.ts";
import type { StatusServer } from "../report/http/server.ts";
import { logReporter } from "../report/log-reporter.ts";
import { createLogger, type Logger } from "../report/logger.ts";
import { redactingReporter } from "../report/redacting.ts";
import type { Webhook } from "../report/webhook/webhook.ts";
import { secToMs } from "../units.ts";
import { budgetOf } from "./budget.ts";
import { controlCommands } from "./control/commands.ts";
import { lifeCommands } from "./control/life.ts";
import { ControlServer } from "./control/server.ts";
import { openEndpoint } from "./endpoint.ts";
import { Fanout } from "./fanout.ts";
import { looked } from "./first-look.ts";
import { Fleet, type Newcomer } from "./fleet.ts";
import { metricsOnDemand } from "./late-metrics.ts";
import { leftPrograms } from "./left-programs.ts";
import { boardProgramOf } from "./programs.ts";
import { Reloads } from "./reloads.ts";
import { type Daemon, RunningDaemon } from "./running-daemon.ts";
import { type ServiceNotifier, serviceNotifier } from "./service-manager/index.ts";
import { warnOfStopLimit } from "./service-manager/stop-limit.ts";
import type { NotifyTarget } from "./service-manager/target.ts";
import { defaultStateDir } from "./state-dir.ts";
import { version } from "./version.ts";
import { warningsOf } from "./warnings.ts";

export interface DaemonOptions {
  /** Gets a record per event. Default: `effiqueue` on standard error. */
  readonly logger?: Logger;
  /** Overrides `state_dir`. */
  readonly stateDir?: string | undefined;
  /** Overrides `metrics_addr`. */
  readonly metricsAddr?: string | undefined;
  readonly clock?: Clock;
  /** What the daemon is to be after a reload. Default: `config.file`, read again. */
  readonly readConfig?: () => Config;
  /** Where systemd wants to hear from the daemon. Default: nowhere. */
  readonly notify?: NotifyTarget | null;
}

/**
 * Locks and state folders first, then the endpoint, then a look at the queues, then the loop. Whatever fails, what was taken is
 * given back and no worker was started; those of an earlier life run on. It touches neither signals nor the exit code.
 *
 * @throws UserError, ProgramLockedError, StateFolderError, TokenFileError, ListenError; ConfigError for a queue that no pool can be sized by
 */
export async function startDaemon(config: Config, options: DaemonOptions = {}): Promise<Daemon> {
  const { clock = systemClock, logger = createLogger({ name: "effiqueue", subject: "program" }) } = options;
  const { pollInterval } = config.shared;
  const redactor = new Redactor(config.secrets);
  const { redact } = redactor;
  const board = openBoard(config.programs.map(boardProgramOf), {
    clock,
    version: version(),
    pollIntervalSec: pollInterval,
    redact,
  });
  const reporter = new Fanout(redactingReporter(logReporter(logger, { ticks: "news" }), redact), board);
  const webhook = await openHook(config, { clock, reporter });
  // Before the texts leave this machine.
  if (webhook !== null) reporter.add(redactingReporter(webhook, redact));
  const notifier = openNotifier(options.notify, { reporter, clock, board, pollIntervalSec: pollInterval });
  warnOfStopLimit(Math.max(...config.programs.map((each) => each.options.drainTimeout)), reporter);
  for (const text of warningsOf(config)) reporter.emit("app.config.warned", { text });

  const stateDir = resolve(options.stateDir ?? config.shared.stateDir ?? defaultStateDir());
  // While there is certainly a folder that it is relative to.
  const file = resolve(config.file);
  let daemon: RunningDaemon | undefined;
  /** From the end of the start to the beginning of the stop. */
  const isUp = (): boolean => daemon?.isStopping === false;
  const memory = hostMemoryProbe({ reporter });
  const loop = new ControlLoop({
    programs: [],
    clock,
    reporter,
    pollIntervalMs: secToMs(pollInterval),
    memory,
    budget: budgetOf(config),
    listener: reporter,
  });

  const control: ControlServer = new ControlServer({
    board,
    metrics: metricsOnDemand(board),
    isReady: isUp,
    reporter,
    about: () => ({ pid: process.pid, config: file, programs: fleet.names }),
    commands: {
      ...controlCommands({ loop, status: () => board.status(), isStopping: () => daemon?.isStopping === true }),
      ...lifeCommands(() => daemon),
    },
  });
  const fleet = new Fleet({ stateDir, config: file, clock, reporter, board, loop, control, oomKills: memory });
  let newcomers: readonly Newcomer[] = [];
  let server: StatusServer | null = null;
  try {
    newcomers = fleet.open(config.programs);
    server = await openEndpoint(
      { ...config.shared, metricsAddr: options.metricsAddr ?? config.shared.metricsAddr },
      { board, isReady: isUp },
    );
    const ready = await looked(config.file, newcomers);
    const { totalBytes, limitedBy, cpus } = await memory.read([]);
    await fleet.enter(ready.newcomers);
    for (const left of leftPrograms(
      stateDir,
      { file, programs: config.programs },
      { clock, reporter, oomKills: memory },
    ))
      fleet.drain(left);
    reporter.emit("app.daemon.started", {
      version: version(),
      config: config.file,
      programs: fleet.names.join(", "),
      memory_total_bytes: totalBytes ?? null,
      memory_limited_by: limitedBy,
      cpus: cpus?.count ?? null,
      cpus_limited_by: cpus?.limitedBy ?? "host",
      metrics_addr: server?.address ?? null,
    });
    const readConfig = options.readConfig ?? (() => loadConfig(config.file));
    const reloads = new Reloads(config, { fleet, loop, clock, reporter, redactor, readConfig, isUp });
    daemon = new RunningDaemon({ loop, fleet, reloads, server, control, webhook, notifier, reporter, clock });
    return daemon;
  } catch (error) {
    fleet.giveBack(newcomers);
    await Promise.all([server?.close(), control.closeAll(), webhook?.close(), notifier?.close()]);
    throw error;
  }
}

function openNotifier(
  target: NotifyTarget | null | undefined,
  { board, ...parts }: { reporter: Fanout; clock: Clock; board: Board; pollIntervalSec: number },
): ServiceNotifier | null {
  if (target == null) return null;
  const notifier = serviceNotifier(target, { ...parts, status: () => board.status() });
  parts.reporter.add(notifier);
  return notifier;
}

/** Loaded when it is asked for. */
async function openHook({ shared }: Config, parts: { clock: Clock; reporter: Reporter }): Promise<Webhook | null> {
  const { onEvent: url, onEventHeader: header } = shared;
  if (url === undefined) return null;
  const { openWebhook } = await import("../report/webhook/webhook.ts");
  return openWebhook({ url, header, ...parts });
}
