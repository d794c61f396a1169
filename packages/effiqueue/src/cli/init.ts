/** `effiqueue init`: a configuration to begin with, from questions or flags. DESIGN 7.10. */
import { existsSync, writeFileSync } from "node:fs";
import { extname } from "node:path";
import { Command } from "commander";
import { type Answers, type Asked, fileFor, type Written } from "../app/init/file.ts";
import { faultOf, QUESTIONS, type Question } from "../app/init/questions.ts";
import { findingText } from "../config/errors.ts";
import { loadConfig, SUPERVISOR_FILES } from "../config/load.ts";
import { optionName } from "../model/keys.ts";
import { openTerminal, type Terminal } from "./ask.ts";
import { FailedError, UsageError } from "./errors.ts";
import { printText, shellWord, writing } from "./output.ts";

export function initCommand(): Command {
  return new Command("init")
    .option("--queue-connection <url>", "where the broker is: amqp://USER:PASSWORD@HOST:PORT/VHOST")
    .option("--queue-name <name>", "the queue that the workers consume")
    .option("--command <line>", "how one worker is started")
    .option("--max-workers <count>", "never more")
    .option("--slo-drain-time <duration>", "how long the queue may take to empty")
    .option("--output <file>", "the file to write", "effiqueue.toml")
    .option("--force", "overwrite it")
    .option("--yes", "ask nothing; what is not given is as suggested")
    .action(init);
}

interface Flags extends Readonly<Record<string, string | true | undefined>> {
  readonly output: string;
  readonly force?: true;
  readonly yes?: true;
}

async function init(flags: Flags): Promise<void> {
  refuseOutput(flags);
  const given = givenIn(flags);
  const terminal = flags.yes === true ? undefined : openTerminal();
  try {
    const answers = terminal === undefined ? withoutAsking(given, flags) : await asked(terminal, given);
    write(flags, fileFor(answers));
  } finally {
    terminal?.close();
  }
}

/** Before anything is asked: nobody likes to answer for nothing. */
function refuseOutput({ output, force }: Flags): void {
  if (SUPERVISOR_FILES.includes(extname(output).toLowerCase())) {
    throw new UsageError(`--output ${output} would be read as a Supervisor file; name one that ends in .toml`);
  }
  if (force !== true && existsSync(output)) {
    throw new FailedError(`${output} exists and is left as it is; --force overwrites it, --output names another file`);
  }
}

/** @throws UsageError naming everything that is wrong */
function givenIn(flags: Flags): Partial<Answers> {
  const given: Partial<Record<Asked, string>> = {};
  const faults: string[] = [];
  for (const { key } of QUESTIONS) {
    const value = flags[optionName(key)];
    if (typeof value !== "string") continue;
    const fault = faultOf(key, value);
    if (fault === undefined) given[key] = value;
    else faults.push(`${flagOf(key)}: ${fault}`);
  }
  if (faults.length > 0) throw new UsageError(faults.join("; "));
  return given;
}

const flagOf = (key: Asked): string => `--${key.replaceAll("_", "-")}`;

function withoutAsking(given: Partial<Answers>, { yes }: Flags): Answers {
  const open = QUESTIONS.filter(
    ({ key, otherwise }) => given[key] === undefined && (yes !== true || otherwise === undefined),
  );
  if (open.length > 0) {
    const missing = open.map(({ key }) => flagOf(key)).join(", ");
    const hint =
      yes !== true && open.some(({ otherwise }) => otherwise !== undefined)
        ? "; --yes takes the usual for what has a usual"
        : "";
    throw new UsageError(
      `${yes === true ? "with --yes nobody is asked" : "there is no terminal to ask on"}; give ${missing}${hint}`,
    );
  }
  return answersOf(({ key, otherwise }) => given[key] ?? otherwise ?? "");
}

async function asked(terminal: Terminal, given: Partial<Answers>): Promise<Answers> {
  const answers = new Map<Asked, string>();
  for (const question of QUESTIONS)
    answers.set(question.key, given[question.key] ?? (await askUntilGood(terminal, question)));
  return answersOf(({ key }) => answers.get(key) ?? "");
}

async function askUntilGood(terminal: Terminal, { key, question, otherwise }: Question): Promise<string> {
  const suggestion = otherwise === undefined ? "" : ` [${otherwise}]`;
  for (;;) {
    const answer = (await terminal.ask(`${question}${suggestion} `)).trim() || (otherwise ?? "");
    const fault = faultOf(key, answer);
    if (fault === undefined) return answer;
    terminal.say(`  ${fault}`);
  }
}

const answersOf = (answerTo: (question: Question) => string): Answers =>
  Object.fromEntries(QUESTIONS.map((question) => [question.key, answerTo(question)])) as Answers;

function write({ output, force }: Flags, { text, variables, password }: Written): void {
  writing(output, () => writeFileSync(output, text, { flag: force === true ? "w" : "wx" }));
  const { warnings } = loadConfig(output, { secrets: false });
  const file = shellWord(output);
  const unset = variables.filter((name) => process.env[name] === undefined);
  printText(
    [
      `wrote ${output}`,
      ...warnings.map((warning) => `warning: ${findingText(warning)}`),
      ...(password === undefined ? [] : ["The password is not in it."]),
      ...unset.map((name) => `Before the daemon starts, set ${name} in its environment.`),
      "",
      "Next:",
      `  effiqueue doctor --config ${file}`,
      `  effiqueue run --config ${file}`,
    ].join("\n"),
  );
}
