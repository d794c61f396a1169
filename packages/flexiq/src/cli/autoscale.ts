/** `flexiq autoscale`: a flag for every field of the configuration. DESIGN 12.1, 11.3. */
import { type Command, Option } from "commander";
import { createLogger, type Logger, type LogLevel, onStopRequest, systemClock, takeNotifyTarget } from "effiqueue";
import { exitWhileLoading, loadQueue } from "../app/load.ts";
import { AutoscaleConfig, autoscaleProblems } from "../autoscale/config.ts";
import { serveAutoscaler } from "../autoscale/controller.ts";
import { FIELDS, type Field } from "../autoscale/fields.ts";
import type { AutoscaleOptions } from "../autoscale/options.ts";
import { workerCommand } from "../autoscale/worker-command.ts";
import { errorText, firstLine } from "../worker/error-text.ts";
import { assertTerminal, autoscaleOnScreen, OWN_ADDRESS, ScreenLog } from "./autoscale-top.ts";
import { EXIT, UsageError } from "./errors.ts";
import { addLogLevelOption } from "./log-level.ts";
import { stopWithNpm } from "./npm-parent.ts";

export function register(command: Command): void {
  for (const field of FIELDS) {
    command.addOption(flagOf(field, field.flag));
    for (const alias of field.aliases) command.addOption(flagOf(field, alias).hideHelp());
  }
  addLogLevelOption(command)
    .option("--top", "show it on this terminal; leaving the screen stops it. The log goes to a file")
    .action(run);
}

function flagOf({ isText, isList, placeholder, default: value, help }: Field, flag: string): Option {
  const description = value === undefined ? help : `${help} (default: ${value})`;
  const option = new Option(`--${flag} <${placeholder}>`, description);
  if (isList === true)
    return option.argParser((text, before: unknown) => [...(Array.isArray(before) ? (before as string[]) : []), text]);
  return option.argParser(isText === true ? String : numberOrText);
}

const LOGGER = "flexiq.autoscale";

async function run(flags: Record<string, unknown>): Promise<void> {
  const isOnScreen = flags["top"] === true;
  if (isOnScreen) assertTerminal();
  const notify = takeNotifyTarget(process.env, process.pid);
  const config = configOf(isOnScreen ? { metricsAddr: OWN_ADDRESS, ...flags } : flags);
  const level = flags["logLevel"] as LogLevel | undefined;
  const log = isOnScreen ? new ScreenLog(LOGGER, level) : undefined;
  const logger = log?.logger ?? createLogger({ name: LOGGER, ...(level === undefined ? {} : { level }) });
  stopWithNpm(logger);
  // Before the app, which may change it: the words of the command line mean the folder in which they were typed.
  const command = { ...workerCommand(config.appPath), cwd: process.cwd() };
  // Process 1 gets only the signals that it listens to; and once the workers are gone none may spoil the exit code.
  let loading = true;
  onStopRequest(systemClock, () => {
    if (loading) exitWhileLoading(EXIT.done);
  });
  const queue = await loadQueue(config.appPath);
  loading = false;
  outliveApp(logger);
  try {
    if (log === undefined) await serveAutoscaler(queue, config, { logger, command, notify });
    else await autoscaleOnScreen(queue, config, log, { command });
  } finally {
    queue.close();
  }
}

/** Often enough to be seen, seldom enough for an error that comes with every packet. */
const SAID_AGAIN_MS = 60_000;

/**
 * The app is here for its queue alone, yet it brings connections and timers along. Their errors concern its workers; dying of
 * them would leave those unmanaged. Each is said once a minute.
 */
function outliveApp(logger: Logger): void {
  const said = new Set<string>();
  setInterval(() => said.clear(), SAID_AGAIN_MS).unref();
  process.on("uncaughtException", (thrown) => {
    const error = errorText(thrown);
    const line = firstLine(error);
    if (said.has(line)) return;
    said.add(line);
    logger.error({ error }, `an error of the app that nobody caught, the autoscaler goes on: ${line}`);
  });
}

function configOf(flags: Record<string, unknown>): AutoscaleConfig {
  const options: Record<string, unknown> = {};
  for (const { name, flag, aliases } of FIELDS) {
    const given = [flag, ...aliases].map((spelling) => flags[camelCase(spelling)]).find((value) => value !== undefined);
    if (given !== undefined) options[name] = given;
  }
  const problems = autoscaleProblems(options).map(({ name, text }) => `${inFlags(name)}: ${inFlags(text)}`);
  if (problems.length > 0) throw new UsageError(problems.join("; "));
  return new AutoscaleConfig(options as unknown as AutoscaleOptions);
}

/** What is no number stays as it was typed, so that the message can show it. */
function numberOrText(text: string): number | string {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** As commander names the value of a flag. */
const camelCase = (flag: string): string => flag.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** People at a command line know flags, not fields. */
const inFlags = (text: string): string =>
  FIELDS.reduce((said, { name, flag }) => said.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `--${flag}`), text);
