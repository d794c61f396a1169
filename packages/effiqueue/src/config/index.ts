/** What the rest of the daemon uses of the configuration. DESIGN 5. */
export { ConfigError, type Finding, findingText } from "./errors.ts";
export { type LoadOptions, loadConfig } from "./load.ts";
export type { Config, Program } from "./validate.ts";
export type { Output, WorkerSettings } from "./worker.ts";
