/**
 * Metrics and status of an autoscaler over HTTP, by the daemon's own server. Loaded when an address is given: the server is no
 * concern of those who serve nothing. DESIGN 11.5.
 */
import { readFileSync } from "node:fs";
import type { Clock } from "effiqueue";
import {
  ListenError,
  lateMetrics,
  type MoreMetrics,
  openBoard,
  readTokenFile,
  type StatusServer,
  serveStatus,
  TokenFileError,
} from "effiqueue/status";
import { FlexiqError } from "../errors.ts";
import type { Census } from "../model.ts";
import type { Store } from "../store/store.ts";
import type { Watcher } from "./audience.ts";
import type { AutoscaleConfig } from "./config.ts";
import { queueFamilies } from "./queue-metrics.ts";

export interface StatusOptions {
  readonly address: string;
  readonly config: AutoscaleConfig;
  readonly clock: Clock;
  /** `null`: the queue is not flexiq's, and has no metrics of its own. */
  readonly store: Store | null;
  readonly isReady: () => boolean;
  /** Is told of ticks and events from now on. */
  readonly watch: (watcher: Watcher) => void;
}

/** @throws FlexiqError `cannot-listen` or `token-file`, with the remedy */
export async function openStatus(options: StatusOptions): Promise<StatusServer> {
  const { address, config, clock, store, isReady } = options;
  const { appPath, mode, minWorkers, maxWorkers, pollIntervalSec, sloDrainTimeSec, sloWaitTimeSec } = config;
  const { metricsHosts: hosts, metricsTokenFile } = config;
  const sloSec = sloDrainTimeSec ?? sloWaitTimeSec ?? null;
  const sloGoal = sloSec === null ? null : sloSec === sloDrainTimeSec ? "drain" : "wait";
  const program = { name: appPath, mode, minWorkers, maxWorkers, sloSec, sloGoal } as const;
  const board = openBoard([program], {
    clock,
    version: version(),
    pollIntervalSec,
  });
  const metrics = lateMetrics(board, store === null ? undefined : queueMetrics(appPath, store));
  try {
    const token = metricsTokenFile === undefined ? undefined : readTokenFile(metricsTokenFile);
    const server = await serveStatus({ board, metrics, address, hosts, token, isReady });
    options.watch(board);
    return server;
  } catch (error) {
    throw inOurWords(error, address);
  }
}

/** With the names of our own fields. */
function inOurWords(error: unknown, address: string): unknown {
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

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;
