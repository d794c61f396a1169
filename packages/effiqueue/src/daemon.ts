/**
 * The daemon for embedding: all of it, or its parts around a backend of one's own. Apart from `effiqueue`, so that who embeds the
 * engine alone loads neither TOML nor AMQP. DESIGN 7.9.
 */
export { type DaemonOptions, startDaemon } from "./app/daemon.ts";
export { ProgramLockedError } from "./app/programs.ts";
export { type Daemon, PoolsLostError } from "./app/running-daemon.ts";
export { ConfigError, type Finding, findingText } from "./config/errors.ts";
export { type LoadOptions, loadConfig } from "./config/load.ts";
export { readTokenFile, TokenFileError } from "./config/token-file.ts";
export type { Config, Program } from "./config/validate.ts";
export { type HostMemoryOptions, type HostMemoryProbe, hostMemoryProbe } from "./observe/host/index.ts";
export {
  openRabbitQueue,
  QueueLists,
  RabbitError,
  type RabbitErrorCode,
  type RabbitOptions,
  type RabbitQueue,
} from "./observe/rabbitmq/index.ts";
export type {
  DecisionEntry,
  DecisionsReply,
  HistoryReply,
  ProgramDecisions,
  ProgramStatus,
  StatusReply,
} from "./report/api-types.ts";
export { type Board, type BoardOptions, type BoardProgram, openBoard } from "./report/board.ts";
export { explainDecisions } from "./report/explain.ts";
export { ListenError } from "./report/http/errors.ts";
export { type ServeOptions, type StatusServer, serveStatus } from "./report/http/server.ts";
export { type Metrics, openMetrics } from "./report/metrics/metrics.ts";
export { redactingReporter } from "./report/redacting.ts";
