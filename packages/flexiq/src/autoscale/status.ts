/**
 * What an autoscaler says of itself: metrics and status over HTTP, and to systemd, by the daemon's own code. Loaded when somebody
 * listens. DESIGN 11.5, 11.10.
 */
import { type Clock, type Fanout, type NotifyTarget, serviceNotifier } from "effiqueue";
import {
  type Board,
  type BoardProgram,
  ListenError,
  type MoreMetrics,
  openBoard,
  openEndpoint,
  type StatusReply,
  type StatusServer,
  TokenFileError,
} from "effiqueue/status";
import { FlexiqError } from "../errors.ts";
import type { Census } from "../model.ts";
import type { Store } from "../store/store.ts";
import { version } from "../version.ts";
import type { AutoscaleConfig } from "./config.ts";
import { SETTINGS } from "./fields.ts";
import { queueFamilies } from "./queue-metrics.ts";

export interface StatusOptions {
  readonly config: AutoscaleConfig;
  readonly clock: Clock;
  /** `null`: the queue is not flexiq's, and has no metrics of its own. */
  readonly store: Store | null;
  /** `null`: systemd does not listen. */
  readonly notify: NotifyTarget | null;
  readonly reporter: Fanout;
  readonly isReady: () => boolean;
}

export interface Status {
  /** `null`: nobody can ask. */
  readonly address: string | null;
  /** Resolves when everybody has been told everything. */
  close(): Promise<void>;
}

/** @throws FlexiqError `cannot-listen` or `token-file`, with the remedy */
export async function openStatus(options: StatusOptions): Promise<Status> {
  const { config, clock, notify, reporter } = options;
  const { pollIntervalSec } = config;
  const board = openBoard([boardProgramOf(config)], { clock, version: version(), pollIntervalSec });
  const server = await openServer(board, options);
  reporter.add(board);
  const status = (): StatusReply => board.status();
  const notifier = notify && serviceNotifier(notify, { reporter, clock, status, pollIntervalSec });
  if (notifier !== null) reporter.add(notifier);
  return {
    address: server?.address ?? null,
    close: async () => {
      await Promise.all([server?.close(), notifier?.close()]);
    },
  };
}

function boardProgramOf(config: AutoscaleConfig): BoardProgram {
  const { appPath: name, mode, minWorkers, maxWorkers, sloDrainTimeSec, sloWaitTimeSec } = config;
  const sloSec = sloDrainTimeSec ?? sloWaitTimeSec ?? null;
  const sloGoal = sloSec === null ? null : sloSec === sloDrainTimeSec ? "drain" : "wait";
  return { name, mode, minWorkers, maxWorkers, sloSec, sloGoal, settings: SETTINGS };
}

async function openServer(board: Board, { config, store, isReady }: StatusOptions): Promise<StatusServer | null> {
  const more = store === null ? undefined : queueMetrics(config.appPath, store);
  try {
    return await openEndpoint(config, { board, isReady, more });
  } catch (error) {
    throw inOurWords(error, config.metricsAddr);
  }
}

/** With the names of our own fields. */
function inOurWords(error: unknown, address: string | undefined): unknown {
  if (error instanceof ListenError)
    return new FlexiqError("cannot-listen", `metricsAddr ${JSON.stringify(address)}: ${error.why}`, {
      cause: error.cause,
    });
  if (!(error instanceof TokenFileError)) return error;
  const { file, why, remedy, cause } = error;
  return new FlexiqError("token-file", `metricsTokenFile ${JSON.stringify(file)}: ${why}; ${remedy}`, { cause });
}

/** Several who look at once, or one who looks without a pause, cost the loop no more than this allows. */
const FRESH_MS = 1_000;

function queueMetrics(program: string, store: Store): MoreMetrics {
  let last: { readonly census: Promise<Census>; readonly atMs: number } | undefined;
  return async () => {
    const now = performance.now();
    if (last === undefined || now - last.atMs > FRESH_MS) last = { census: store.census(), atMs: now };
    return queueFamilies(program, await last.census);
  };
}
