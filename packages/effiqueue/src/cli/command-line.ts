/**
 * From the words of a command line to an exit code. DESIGN 7.9.
 */
import { Command, CommanderError } from "commander";
import { version } from "../app/version.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, exitCodeOf, formatError } from "./errors.ts";

/** Runs one command line; resolves with its exit code. Never rejects. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const words = isBareRun(argv) ? ["run", ...argv] : argv;
  try {
    const program = await programFor(words);
    await program.parseAsync(words, { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    // Commander has printed the help; there is nothing to add to it.
    if (error instanceof CommanderError && error.code === "commander.help") return EXIT.usage;
    const debug = words.includes("--debug") || isOn(process.env["EFFIQUEUE_DEBUG"]);
    process.stderr.write(formatError(error, { json: words.includes("--json"), debug }));
    return exitCodeOf(error);
  }
}

const ASKS_ABOUT_US = new Set(["-h", "--help", "-V", "--version"]);

/** `effiqueue --config F` runs. */
const isBareRun = ([first = ""]: readonly string[]): boolean => first.startsWith("-") && !ASKS_ABOUT_US.has(first);

const AFTER_HELP = `
effiqueue --config FILE is short for effiqueue run --config FILE.
effiqueue validate-config --help has every key of the file; the least there can be:

  command = "php bin/console messenger:consume async"
  queue_connection = "amqp://app:\${RABBITMQ_PASSWORD}@localhost/%2F"
  queue_name = "messages"
  max_workers = 20
  slo_drain_time = "2m"

Exit codes: 0 done, 1 failed, 64 wrong usage, 69 the lock, the state folder, the address or the daemon cannot be had,
70 a fault of effiqueue, 78 the configuration is wrong.`;

/** Every command by name and summary; of those that `argv` mentions, everything. */
async function programFor(argv: readonly string[]): Promise<Command> {
  const program = new Command("effiqueue")
    .description("As many worker processes as a queue needs, and not more than this machine can hold")
    .version(version(), "-V, --version", "print the version")
    .addHelpText("after", AFTER_HELP)
    .exitOverride()
    // Errors are printed in one place, in one style.
    .configureOutput({ outputError: () => undefined });
  for (const { name, summary, load } of COMMANDS) {
    const command = argv.includes(name) ? await load() : new Command(name);
    command.copyInheritedSettings(program).description(summary).option("--debug", "show stack traces of errors");
    program.addCommand(command);
  }
  return program;
}

const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0";
