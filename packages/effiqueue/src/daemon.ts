/**
 * The daemon for embedding: its configuration and its parts. Apart from `effiqueue`, so that who embeds the engine alone loads
 * neither TOML nor AMQP. DESIGN 7.9.
 */
export { ConfigError, type Finding, findingText } from "./config/errors.ts";
export { type LoadOptions, loadConfig } from "./config/load.ts";
export type { Config, Program } from "./config/validate.ts";
