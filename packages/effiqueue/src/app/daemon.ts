/**
 * The daemon: a configuration as programs that run, each part knowing the others only through ports. DESIGN 7.9.
 */
import { resolve } from "node:path";
import { readTokenFile } from "../config/token-file.ts";
import type { Config } from "../config/validate.ts";
import { type BudgetLimit, sharedBudget } from "../decide/index.ts";
import { systemClock } from "../loop/clock.ts";
import { ControlLoop } from "../loop/control-loop.ts";
import type { Clock, Reporter } from "../model/ports.ts";
import { redactor } from "../model/redact.ts";
import { hostMemoryProbe } from "../observe/host/index.ts";
import { type Board, openBoard } from "../report/board.ts";
import { type StatusServer, serveStatus } from "../report/http/server.ts";
import { logReporter } from "../report/log-reporter.ts";
import { createLogger, type Logger } from "../report/logger.ts";

import { redactingReporter } from "../report/redacting.ts";
import type { Webhook } from "../report/webhook/webhook.ts";
import { secToMs } from "../units.ts";
import { controlCommands } from "./control/commands.ts";
import { ControlServer } from "./control/server.ts";
import { Fanout } from "./fanout.ts";
import { lookAtQueues } from "./first-look.ts";
import { lateMetrics, metricsOnDemand } from "./late-metrics.ts";
import { boardProgramOf, type OpenProgram, openProgram } from "./programs.ts";
import { type Daemon, letGo, RunningDaemon } from "./running-daemon.ts";
import { defaultStateDir, programStateDir } from "./state-dir.ts";
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
  const redact = redactor(config.secrets);
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
  for (const text of warningsOf(config)) reporter.emit("app.config.warned", { text });

  const stateDir = resolve(options.stateDir ?? config.shared.stateDir ?? defaultStateDir());
  const memory = hostMemoryProbe({ reporter });
  const programs: OpenProgram[] = [];
  let server: StatusServer | null = null;
  let control: ControlServer | null = null;
  let daemon: RunningDaemon | undefined;
  try {
    for (const each of config.programs)
      programs.push(openProgram(each, stateDir, { clock, reporter, oomKills: memory }));
    server = await openEndpoint(
      { ...config.shared, metricsAddr: options.metricsAddr ?? config.shared.metricsAddr },
      board,
      () => daemon?.isStopping === false,
    );
    const sources = await lookAtQueues(config.file, programs);
    const { totalBytes, limitedBy, cpus } = await memory.read([]);
    const loop = new ControlLoop({
      programs: programs.map((each, i) => ({ ...each, source: sources[i] ?? each.source })),
      clock,
      reporter,
      pollIntervalMs: secToMs(pollInterval),
      memory,
      budget: sharedBudget(budgetOf(config)),
      listener: board,
    });
    control = new ControlServer({
      board,
      metrics: metricsOnDemand(board),
      isReady: () => daemon?.isStopping === false,
      reporter,
      about: () => ({
        pid: process.pid,
        config: resolve(config.file),
        programs: loop.programs,
      }),
      commands: controlCommands({
        loop,
        status: () => board.status(),
        isStopping: () => daemon?.isStopping === true,
      }),
    });
    for (const { program } of programs) await control.open(program, programStateDir(stateDir, program));
    reporter.emit("app.daemon.started", {
      version: version(),
      config: config.file,
      programs: programs.map(({ program }) => program).join(", "),
      memory_total_bytes: totalBytes ?? null,
      memory_limited_by: limitedBy,
      cpus: cpus?.count ?? null,
      cpus_limited_by: cpus?.limitedBy ?? "host",
      metrics_addr: server?.address ?? null,
    });
    daemon = new RunningDaemon({ loop, programs, server, control, webhook, reporter, clock });
    return daemon;
  } catch (error) {
    for (const { pool } of programs) pool.close();
    await Promise.all([letGo(programs, server, control), webhook?.close()]);
    throw error;
  }
}

function budgetOf({ shared: { ramBudget, ramHeadroom } }: Config): BudgetLimit {
  return ramBudget === undefined ? { headroomBytes: ramHeadroom ?? 0 } : { ramBudgetBytes: ramBudget };
}

/** Loaded when it is asked for. */
async function openHook({ shared }: Config, parts: { clock: Clock; reporter: Reporter }): Promise<Webhook | null> {
  const { onEvent: url, onEventHeader: header } = shared;
  if (url === undefined) return null;
  const { openWebhook } = await import("../report/webhook/webhook.ts");
  return openWebhook({ url, header, ...parts });
}

async function openEndpoint(
  { metricsAddr: address, metricsTokenFile, metricsHosts: hosts }: Config["shared"],
  board: Board,
  isReady: () => boolean,
): Promise<StatusServer | null> {
  if (address === undefined) return null;
  const token = metricsTokenFile === undefined ? undefined : readTokenFile(metricsTokenFile);
  return serveStatus({ board, metrics: lateMetrics(board), address, hosts, token, isReady });
}
