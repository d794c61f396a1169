/** `effiqueue validate-config`: what would be run, or everything that is wrong with it. DESIGN 7.9. */
import { Command } from "commander";
import { ConfigError, type Finding, findingText } from "../config/errors.ts";
import { loadConfig } from "../config/load.ts";
import type { Config, Program } from "../config/validate.ts";
import { sloOf } from "../model/slo.ts";
import { counted } from "../report/explain-words.ts";
import { EXIT } from "./errors.ts";
import { keyHelp } from "./key-help.ts";
import { configOption, jsonOption, modeOption, requiredConfig } from "./options.ts";
import { printJson, printText } from "./output.ts";
import { table } from "./table.ts";

export function validateConfigCommand(): Command {
  return new Command("validate-config")
    .addOption(configOption())
    .addOption(modeOption())
    .addOption(jsonOption())
    .addHelpText("after", keyHelp)
    .action(validateConfig);
}

interface Flags {
  readonly config?: string;
  readonly mode?: string;
  readonly json?: true;
}

function validateConfig({ config, mode, json }: Flags): void {
  const file = requiredConfig(config);
  if (json !== true) {
    printText(summaryOf(loadConfig(file, { mode })));
    return;
  }
  try {
    const { programs, warnings } = loadConfig(file, { mode });
    printJson({ valid: true, problems: [], warnings: warnings.map(shown), programs: programs.map(outlineOf) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printJson({ valid: false, problems: error.problems.map(shown), warnings: [], programs: [] });
    process.exitCode = EXIT.config;
  }
}

/** With the sentence that people get. */
const shown = (finding: Finding): object => ({ ...finding, said: findingText(finding) });

function summaryOf({ file, programs, warnings }: Config): string {
  const rows = programs.map((program) => {
    const { name, mode, queue, queueName, minWorkers, maxWorkers, schedules } = outlineOf(program);
    const size = `${minWorkers} to ${maxWorkers} workers${promiseOf(program)}`;
    const scheduled = schedules.length === 0 ? "" : `, ${counted(schedules.length, "schedule")}`;
    return [`  ${name}`, mode, `${queue} queue ${queueName}`, size + scheduled];
  });
  return [
    ...warnings.map((warning) => `warning: ${findingText(warning)}`),
    `${file} is good: ${counted(programs.length, "program")}`,
    table(rows),
  ].join("\n");
}

function promiseOf({ options }: Program): string {
  const slo = sloOf(options);
  if (slo === null) return "";
  return slo.goal === "drain" ? `, drained within ${slo.sec} s` : `, nothing waits longer than ${slo.sec} s`;
}

/** What a program is at a glance; never its addresses, which may hold a password. */
function outlineOf({ name, options }: Program) {
  const { mode, queue, queueName, minWorkers, maxWorkers, schedule } = options;
  const slo = sloOf(options);
  return {
    name,
    mode,
    queue,
    queueName,
    minWorkers,
    maxWorkers,
    sloDrainTimeSec: slo?.goal === "drain" ? slo.sec : null,
    sloWaitTimeSec: slo?.goal === "wait" ? slo.sec : null,
    schedules: schedule.map((each) => each.name),
  };
}
