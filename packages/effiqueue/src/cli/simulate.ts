/** `effiqueue simulate`: what a configuration would make of a load, and what another one would. DESIGN 13.5. */
import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { loadConfig } from "../config/load.ts";
import type { Program } from "../config/validate.ts";
import type { Options } from "../model/keys.ts";
import { sloOf } from "../model/slo.ts";
import { counted } from "../report/explain-words.ts";
import {
  type Answers,
  answersFor,
  drawSimulation,
  LATE_ALLOWED,
  LOAD_EXAMPLES,
  lengthOf,
  type Outcome,
  outcomeOf,
  type Scene,
  simulate,
  type Trace,
} from "../simulate/index.ts";
import { UsageError } from "./errors.ts";
import { duration, whole } from "./flag-values.ts";
import { configOption, jsonOption, modeOption, requiredConfig } from "./options.ts";
import { printJson, printText, writing } from "./output.ts";
import { changed, type PlantFlags, plantOf, traceOf } from "./simulate-flags.ts";
import { messagesOf, refuseEndless, refuseIdle } from "./simulate-limits.ts";
import { table } from "./table.ts";

const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

const AFTER_HELP = `
A trace is a file that effiqueue record wrote, or lines of counts. A load is one of
  ${LOAD_EXAMPLES.join("\n  ")}
each with length=2h at will.`;

export function simulateCommand(): Command {
  return new Command("simulate")
    .addOption(configOption())
    .addOption(modeOption())
    .option("--program <name>", "which of several programs of the configuration")
    .option("--trace <file>", "arrivals: what effiqueue record wrote, or one count a line")
    .option("--interval <time>", "of lines that do not say when they are; default: 1s")
    .option("--load <shape>", "generated arrivals instead, such as constant:rate=5")
    .option("--length <time>", "of generated arrivals", "1h")
    .option("--set <key=value>", "a key of the configuration to change; more than once", collect)
    .option("--service <time>", 'work of a message, with its law at will: 500ms, "500ms exponential"')
    .option("--slots <n>", "messages that a worker handles at a time")
    .option("--startup <time>", "from the start of a worker to its first message")
    .option("--crash-every <time>", "mean life of a worker")
    .option("--knee <n>", "so many messages at a time are served at full speed, however many workers there are")
    .option("--worker-memory <size>", "what a worker grows to")
    .option("--memory <size>", "what the machine has")
    .option("--other-memory <size>", "what everything but the workers takes of it")
    .option("--late-after <time>", "a message that waits longer is late; default: the SLO")
    .option("--seed <n>", "the same seed, the same run", "1")
    .option("--seeds <n>", "so many runs with seeds from there on; figures are means", "1")
    .option("--svg <file>", "draw the first run, with the changes of --set")
    .addOption(jsonOption())
    .addHelpText("after", AFTER_HELP)
    .action(runSimulation);
}

interface Flags extends PlantFlags {
  readonly config?: string;
  readonly mode?: string;
  readonly program?: string;
  readonly set?: readonly string[];
  readonly lateAfter?: string;
  readonly seed: string;
  readonly seeds: string;
  readonly svg?: string;
  readonly json?: true;
}

interface Run {
  readonly name: string;
  readonly options: Options;
  readonly outcome: Outcome;
}

function runSimulation(flags: Flags): void {
  const { config, mode, program, set = [], seed, seeds, svg, json } = flags;
  const file = requiredConfig(config);
  const { options } = chosen(loadConfig(file, { mode, secrets: false }).programs, program);
  const trace = traceOf(flags);
  const first = whole("--seed", seed);
  const scene: Scene = {
    trace,
    plant: plantOf(flags, trace),
    seeds: Array.from({ length: whole("--seeds", seeds) }, (_, i) => first + i),
  };
  const lateAfter = flags.lateAfter === undefined ? undefined : duration("--late-after", flags.lateAfter);
  const variants = [
    { name: "as configured", options },
    ...(set.length > 0 ? [{ name: set.join(" "), options: changed(options, set) }] : []),
  ];
  refuseIdle(set, variants.at(-1)?.options ?? options, scene.plant);
  refuseEndless(trace, variants);
  const runs = variants.map((variant) => {
    const sloSec = lateAfter ?? sloOf(variant.options)?.sec;
    if (sloSec === undefined) throw new UsageError(`mode ${variant.options.mode} has no SLO: say --late-after TIME`);
    return { ...variant, outcome: outcomeOf(variant.options, scene, sloSec) };
  });
  const last = runs.at(-1)?.options ?? options;
  const answers = sloOf(last) !== null && lateAfter === undefined ? answersFor(last, scene) : null;
  if (svg !== undefined) draw(svg, last, scene, lateAfter);
  const messages = messagesOf(trace);
  if (json === true) {
    printJson({
      messages,
      lengthSec: lengthOf(trace),
      seeds: scene.seeds,
      runs: runs.map(({ name, outcome }) => ({ name, ...outcome })),
      answers,
    });
    return;
  }
  printText(
    `${messages.toLocaleString("en-US")} messages in ${time(lengthOf(trace))}, seed ${scene.seeds.join(", ")}\n`,
  );
  if (options.schedule.length > 0) printText("Its schedules are left out, for a trace has no time of day.\n");
  const before = backlogBefore(trace);
  if (before > 0) {
    const left = "or more were there before it began, and are left out: a simulated queue begins empty";
    printText(`${counted(before, "message")} ${left}.\n`);
  }
  printText(tableOf(runs));
  if (answers !== null) printText(`\n${answered(answers, last, runs.at(-1))}`);
}

/** What cannot have come in the first interval. */
function backlogBefore({ arrivals: [arrived = 0], measured }: Trace): number {
  return Math.max(0, (measured?.backlog[0] ?? 0) - arrived);
}

function chosen(programs: readonly Program[], name: string | undefined): Program {
  const names = programs.map((each) => each.name);
  const found = name === undefined && programs.length === 1 ? programs[0] : programs.find((each) => each.name === name);
  if (found === undefined) throw new UsageError(`name one program: --program ${names.join(" or ")}`);
  return found;
}

/** As many moments as the picture is wide. */
const MOMENTS = 900;

function draw(file: string, program: Options, { trace, plant, seeds }: Scene, sloSec: number | undefined): void {
  const seed = seeds[0] ?? 1;
  const sampleSec = lengthOf(trace) / MOMENTS;
  const run = simulate({ program, trace, plant, seed, sampleSec, ...(sloSec === undefined ? {} : { sloSec }) });
  const title = `${program.name ?? program.queueName}: late after ${time(run.sloSec)}`;
  writing(file, () => writeFileSync(file, drawSimulation(run, { title, trace })));
}

function tableOf(runs: readonly Run[]): string {
  const head = ["", "late", "p95 wait", "longest", "worker-hours", "most workers", "changes/h", "too small for"];
  const rows = runs.map(({ name, outcome }) => [
    name,
    percent(outcome.lateShare),
    time(outcome.p95WaitSec),
    time(outcome.longestWaitSec),
    (outcome.workerSec / 3600).toPrecision(3),
    String(outcome.peakWorkers),
    outcome.actionsPerHour.toFixed(0),
    time(outcome.gapSec),
  ]);
  return table([head, ...rows]);
}

function answered({ keepsSloSec, missing, higherFloor }: Answers, program: Options, run: Run | undefined): string {
  const kept = `at most ${percent(LATE_ALLOWED)} late`;
  const slo = time(sloOf(program)?.sec ?? 0);
  const isKept = run !== undefined && run.outcome.lateShare <= LATE_ALLOWED;
  const more = higherFloor.outcome.workerSec - (run?.outcome.workerSec ?? 0);
  return table([
    [
      "Which SLO can this machine keep?",
      keepsSloSec === null ? "none that is shorter than the load" : `${time(keepsSloSec)} (${kept})`,
    ],
    [
      `What is missing for ${slo}?`,
      isKept ? "nothing" : missing === null ? "no number of workers keeps it" : missingText(missing, program),
    ],
    [
      `What would min_workers = ${higherFloor.minWorkers} cost?`,
      `${(more / 3600).toFixed(2)} worker-hours; ${percent(higherFloor.outcome.lateShare)} late`,
    ],
  ]);
}

function missingText({ maxWorkers, bytes }: NonNullable<Answers["missing"]>, program: Options): string {
  const workers = `max_workers = ${maxWorkers} instead of ${program.maxWorkers}`;
  if (bytes === null) return `${workers}; memory is not simulated (--worker-memory, --memory)`;
  const memory =
    bytes === 0 ? "memory is enough" : `${(bytes / 2 ** 30).toFixed(1)} GiB more memory, for ${maxWorkers} workers`;
  return maxWorkers > program.maxWorkers ? `${workers}; ${memory}` : memory;
}

const percent = (share: number): string => `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 1)}%`;

function time(sec: number): string {
  if (sec < 10) return `${Number(sec.toFixed(1))} s`;
  if (sec < 120) return `${sec.toFixed(0)} s`;
  return sec < 7200 ? `${Number((sec / 60).toFixed(1))} min` : `${Number((sec / 3600).toFixed(1))} h`;
}
