/** `effiqueue run`: the daemon, until it is told to stop. DESIGN 7.9. */
import { Command } from "commander";
import { loadConfig } from "../config/load.ts";
import { configOption, logLevelOption, metricsAddrOption, modeOption, requiredConfig } from "./options.ts";

export function runCommand(): Command {
  return new Command("run")
    .addOption(configOption())
    .addOption(modeOption())
    .option("--state-dir <folder>", "override state_dir, where locks and lists of workers are kept")
    .addOption(logLevelOption())
    .addOption(metricsAddrOption())
    .action(({ config, mode }: { config?: string; mode?: string }) => {
      loadConfig(requiredConfig(config), { mode });
      throw new Error("not built yet");
    });
}
