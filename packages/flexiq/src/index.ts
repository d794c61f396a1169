/** The embedded task queue: `Queue`, its jobs and its errors. The autoscaler is `flexiq/autoscale`. DESIGN 9. */
export { FlexiqError, type FlexiqErrorCode } from "./errors.ts";
export type * from "./model.ts";
