/**
 * Everything that could be wrong with a configuration on this machine, checked before it matters. Nothing is changed, started or
 * taken. DESIGN 7.10.
 */
import { findingText } from "../../config/errors.ts";
import type { Config, Program } from "../../config/validate.ts";
import type { Diagnosis } from "../../model/diagnosis.ts";
import { errorText } from "../../model/errors.ts";
import type { MemoryProbe } from "../../model/ports.ts";
import { programStateDir } from "../state-dir.ts";
import { checkMemory } from "./memory.ts";
import { checkMetricsAddress, checkToken } from "./metrics-address.ts";
import { checkStateFolder } from "./state-folder.ts";
import { checkFirstProcess, checkStopLimit, type Place } from "./stop-limits.ts";
import { failed, ok, type Verdict, warning } from "./verdicts.ts";
import { checkWorkerCommand } from "./worker-command.ts";
import { checkWorkerOutput } from "./worker-output.ts";
import { checkWorkerUser } from "./worker-user.ts";

export type { Verdict } from "./verdicts.ts";

/** A queue, as far as it tells what is wrong with it. */
interface DiagnosableQueue {
  diagnose(): Promise<readonly Diagnosis[]>;
  close(): Promise<void>;
}

export interface DoctorParts {
  readonly openQueue: (program: Program) => DiagnosableQueue | Promise<DiagnosableQueue>;
  readonly memory: MemoryProbe;
  /** The folder of all programs. */
  readonly stateDir: string;
  /** Where the daemon is taken to run. */
  readonly place: Place;
}

/** Far beyond the time-outs of any queue: a doctor that hangs is no help. */
const QUEUE_WITHIN_MS = 30_000;

/** In the order in which a start would meet them. Never rejects. */
export async function diagnose(config: Config, parts: DoctorParts): Promise<readonly Verdict[]> {
  const { programs, shared } = config;
  const { place } = parts;
  // The queues are what takes long.
  const queues = Promise.all(programs.map((program) => checkQueue(program, parts)));
  const folders = programs.map(({ name }) =>
    of(
      name,
      checked("state folder", () => checkStateFolder(programStateDir(parts.stateDir, name))),
    ),
  );
  const isRunning = folders.flat().some(({ subject, status }) => subject === "state lock" && status === "warning");
  const address = await checkMetricsAddress(shared.metricsAddr, isRunning, shared.metricsTokenFile !== undefined);
  const machine = await parts.memory.read([]);
  const found = await queues;
  return [
    ...checkConfig(config),
    ...folders.flat(),
    address,
    ...checked("metrics_token_file", () => checkToken(shared)),
    ...programs.flatMap((program, i) => [
      ...of(program.name, found[i] ?? []),
      ...of(program.name, checkWorker(program, place.env)),
    ]),
    ...checkMemory(config, machine),
    checkStopLimit(Math.max(...programs.map(({ options }) => options.drainTimeout)), place),
    ...checkFirstProcess(place),
  ];
}

function checkConfig({ file, programs, warnings }: Config): readonly Verdict[] {
  const names = programs.map(({ name }) => name).join(", ");
  return [
    ok("configuration", `${file} is good: ${names}`),
    ...warnings.map((finding) =>
      warning("configuration", findingText(finding), "change it, or leave it if it is meant"),
    ),
  ];
}

/** Number 0 stands for all: they differ in a number. */
function checkWorker(program: Program, env: NodeJS.ProcessEnv): readonly Verdict[] {
  const settings = program.worker(0);
  return [
    ...checked("worker command", () => checkWorkerCommand(settings, env)),
    ...checked("user", () => checkWorkerUser(program.options.user, settings, env)),
    ...checked("output", () => checkWorkerOutput(settings)),
  ];
}

async function checkQueue(program: Program, { openQueue }: DoctorParts): Promise<readonly Verdict[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${QUEUE_WITHIN_MS / 1000} s`)), QUEUE_WITHIN_MS);
  });
  try {
    const queue = await openQueue(program);
    return await Promise.race([queue.diagnose(), late]).finally(() => queue.close());
  } catch (error) {
    return [failed("queue", errorText(error), "see whether the broker runs and can be reached from here")];
  } finally {
    clearTimeout(timer);
  }
}

/** A check that breaks says so, and the others go on. */
function checked(subject: string, check: () => readonly Verdict[]): readonly Verdict[] {
  try {
    return check();
  } catch (error) {
    return [failed(subject, errorText(error), "see what the system says about it")];
  }
}

const of = (program: string, verdicts: readonly Verdict[]): readonly Verdict[] =>
  verdicts.map((verdict) => ({ ...verdict, program }));
