/** Metrics and status where a configuration wants them, of the daemon and of an autoscaler alike. DESIGN 6.5, 11.5. */
import { readTokenFile } from "../config/token-file.ts";
import type { Board } from "../report/board.ts";
import { type StatusServer, serveStatus } from "../report/http/server.ts";
import type { MoreMetrics } from "../report/metrics/families.ts";
import { lateMetrics } from "./late-metrics.ts";

export interface EndpointKeys {
  /** `undefined`: nowhere. */
  readonly metricsAddr: string | undefined;
  readonly metricsTokenFile: string | undefined;
  readonly metricsHosts: readonly string[] | undefined;
}

export interface EndpointParts {
  readonly board: Board;
  readonly isReady: () => boolean;
  /** Beside those of the board. */
  readonly more?: MoreMetrics | undefined;
}

/** `null`: nowhere. @throws TokenFileError, ListenError */
export async function openEndpoint(
  { metricsAddr: address, metricsTokenFile, metricsHosts: hosts }: EndpointKeys,
  { board, isReady, more }: EndpointParts,
): Promise<StatusServer | null> {
  if (address === undefined) return null;
  const token = metricsTokenFile === undefined ? undefined : readTokenFile(metricsTokenFile);
  return serveStatus({ board, metrics: lateMetrics(board, more), address, hosts, token, isReady });
}
