/** Commands that tell a running daemon something, over its control socket. DESIGN 7.12, 7.13. */
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import type { CommandReplies } from "../app/control/replies.ts";
import { tell } from "../app/status-client.ts";
import { someTime } from "../model/kinds.ts";
import { type DaemonFlags, daemonOf, withDaemon } from "./daemon.ts";
import { printJson, printText } from "./output.ts";

interface Flags extends DaemonFlags {
  /** Seconds. */
  readonly for?: number;
}

/** Those that answer in sentences. */
type ToldName = Exclude<keyof CommandReplies, "reload" | "detach">;

/** Sends the command, and prints what the daemon says to it. */
async function told(name: ToldName, args: object, { json, ...flags }: DaemonFlags): Promise<void> {
  const { endpoint } = await daemonOf(flags);
  const reply = await tell(endpoint, name, args);
  if (json === true) printJson(reply);
  else printText(reply.said.join("\n"));
}

const forOption = (): Option =>
  new Option("--for <time>", "how long, such as 30m; default: until it is resumed").argParser((text: string) => {
    const sec = someTime.read(text);
    if (sec === undefined) throw new InvalidArgumentError(`Expected ${someTime.expected}.`);
    return sec;
  });

const theProgram = (): Argument => new Argument("<program>", "its name in the configuration");
const aProgram = (): Argument => new Argument("[program]", "its name in the configuration; default: every program");

const DIRECTIONS = ["in", "out", "both"];

export function pauseCommand(): Command {
  const command = new Command("pause")
    .argument(
      "[direction]",
      "in: no scaling in, the pool does not shrink; out: no scaling out, it does not grow; both",
      "both",
    )
    .addArgument(aProgram())
    .addOption(forOption());
  return withDaemon(command).action(async (first: string, second: string | undefined, flags: Flags) => {
    // `pause orders` says what is meant.
    const isDirection = second !== undefined || DIRECTIONS.includes(first);
    const [direction, program] = isDirection ? [first, second] : ["both", first];
    await told("pause", { direction, program, forSec: flags.for }, flags);
  });
}

export function resumeCommand(): Command {
  const command = new Command("resume").addArgument(aProgram());
  return withDaemon(command).action((program: string | undefined, flags: Flags) => told("resume", { program }, flags));
}

export function scaleCommand(): Command {
  const command = new Command("scale")
    .addArgument(theProgram())
    .argument("<workers>", "so many, whatever the queue asks for, as far as the machine can hold them", wholeNumber)
    .addOption(forOption());
  return withDaemon(command).action((program: string, workers: number, flags: Flags) =>
    told("scale", { program, workers, forSec: flags.for }, flags),
  );
}

export function drainCommand(): Command {
  const command = new Command("drain").addArgument(theProgram()).addOption(forOption());
  return withDaemon(command).action((program: string, flags: Flags) =>
    told("drain", { program, forSec: flags.for }, flags),
  );
}

export function restartCommand(): Command {
  const command = new Command("restart").addArgument(theProgram());
  return withDaemon(command).action((program: string, flags: Flags) => told("restart", { program }, flags));
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Expected a whole number of at least 0.");
  return Number(text);
}
