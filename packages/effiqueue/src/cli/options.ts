/** Flags that several commands have. DESIGN 7.9. */
import { InvalidArgumentError, Option } from "commander";
import { KEYS } from "../model/keys.ts";
import { address } from "../model/kinds.ts";
import { LOG_LEVELS } from "../report/logger.ts";
import { UsageError } from "./errors.ts";

export const configOption = (): Option =>
  new Option(
    "-c, --config <file>",
    "the configuration: TOML, or a Supervisor file when it ends in .conf, .ini or .cfg",
  );

/** Not by commander, which would complain of a missing `--config` before it sees that `--confg` was typed. */
export function requiredConfig(file: string | undefined): string {
  if (file === undefined) throw new UsageError("name the configuration: --config FILE");
  return file;
}

export const modeOption = (): Option =>
  new Option("--mode <mode>", `override the mode of every program`).choices(MODES);

const MODES = ["slo", "threshold", "hpa"].filter((mode) => KEYS.mode.kind.read(mode) !== undefined);

export const stateDirOption = (): Option =>
  new Option(
    "--state-dir <folder>",
    "override state_dir, where locks, lists of workers and the control socket are kept",
  );

export const jsonOption = (): Option => new Option("--json", "print JSON");

export const logLevelOption = (): Option =>
  new Option("--log-level <level>", "default: $EFFIQUEUE_LOG, else info").choices(LOG_LEVELS);

export const metricsAddrOption = (): Option =>
  new Option("--metrics-addr <address>", "override metrics_addr, HOST:PORT").argParser((text: string) => {
    if (address.read(text) === undefined) throw new InvalidArgumentError(`Expected ${address.expected}.`);
    return text;
  });

export const tokenFileOption = (): Option =>
  new Option("--token-file <file>", "file of the token that the daemon asks for; default: metrics_token_file");
