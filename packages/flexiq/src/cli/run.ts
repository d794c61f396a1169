/**
 * From the words of a command line to an exit code. DESIGN 12.1.
 */
import { Command, CommanderError } from "commander";
import { version } from "../version.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, exitCodeOf } from "./errors.ts";

/** Runs one command line; resolves with its exit code. Never rejects. */
export async function runCommand(argv: readonly string[]): Promise<number> {
  try {
    const program = await programFor(argv);
    await program.parseAsync(argv, { from: "user" });
    return Number(process.exitCode ?? EXIT.done);
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
    // Commander has printed the help; there is nothing to add to it.
    if (error instanceof CommanderError && error.code === "commander.help") return EXIT.usage;
    const debug = argv.includes("--debug") || isOn(process.env["FLEXIQ_DEBUG"]);
    const { formatError } = await import("./error-text.ts");
    process.stderr.write(formatError(error, { json: argv.includes("--json"), debug }));
    return exitCodeOf(error);
  }
}

/** Every command by name and summary; of those that `argv` mentions, everything. */
async function programFor(argv: readonly string[]): Promise<Command> {
  const program = new Command("flexiq")
    .description("An embedded task queue on SQLite, its workers and their autoscaler")
    .version(version(), "-V, --version", "print the version")
    .exitOverride()
    // Errors are printed in one place, in one style: see main.
    .configureOutput({ outputError: () => undefined });
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary);
    if (!argv.includes(name)) continue;
    (await load())(command);
    command.option("--debug", "show stack traces of errors");
  }
  return program;
}

const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0";
