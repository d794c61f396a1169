/**
 * The status endpoint for embedding: board, metrics and server, without the daemon around them. Apart from `effiqueue`, so that who
 * serves nothing loads no server. DESIGN 6.5, 7.9.
 */
export { type EndpointKeys, type EndpointParts, openEndpoint } from "./app/endpoint.ts";
export { TokenFileError } from "./config/token-file.ts";
export type { StatusReply } from "./report/api-types.ts";
export { type Board, type BoardOptions, type BoardProgram, openBoard } from "./report/board.ts";
export { ListenError } from "./report/http/errors.ts";
export type { StatusServer } from "./report/http/server.ts";
export type { MetricFamily, MetricSample, MoreMetrics } from "./report/metrics/families.ts";
