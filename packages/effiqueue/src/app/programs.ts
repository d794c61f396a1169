/**
 * One program of the configuration as the loop takes it: its queue, its workers, its policy. DESIGN 7.9.
 */
import { PoolLockedError } from "../act/errors.ts";
import type { PoolSettings, WorkerSettings } from "../act/options.ts";
import { type ManagedPool, openWorkerPool } from "../act/pool.ts";
import { workerUser } from "../act/user.ts";
import type { Program } from "../config/validate.ts";
import { crashBackoff, programPolicy } from "../decide/index.ts";
import type { ProgramOptions } from "../loop/program-options.ts";
import type { Clock, OomAccount, QueueSource, Reporter } from "../model/ports.ts";
import { sloOf } from "../model/slo.ts";
import { openRabbitQueue, type QueueLists, type RabbitQueue } from "../observe/rabbitmq/index.ts";
import type { BoardProgram } from "../report/board.ts";
import { secToMs } from "../units.ts";
import type { Learner } from "./learning.ts";
import { programStateDir } from "./state-dir.ts";

/** A queue that holds connections. */
export interface OpenQueue extends QueueSource {
  close(): Promise<void>;
}

export interface OpenProgram extends ProgramOptions {
  readonly source: OpenQueue;
  readonly pool: ManagedPool;
}

/** What is needed of a program until its last worker has gone. */
export type Leaving = Pick<OpenProgram, "program" | "pool"> & { readonly source: Pick<OpenQueue, "close"> };

/** Two daemons on one program would double its workers. Programs of one name are the same program wherever their files are. */
export class ProgramLockedError extends Error {
  override readonly name = "ProgramLockedError";
  readonly code = "pool-locked";

  constructor(program: string, { message }: PoolLockedError) {
    super(`program ${JSON.stringify(program)}: ${message}, or give one of the two a name or a state_dir of its own`);
  }
}

/** What a reading may take. The queue keeps to it itself, and knows who did not answer; the loop's own limit is for one that does not. */
const QUEUE_TIMEOUT_MS = 5_000;
const GRACE_MS = 500;

interface Parts {
  readonly clock: Clock;
  readonly reporter: Reporter;
  /** Shared by all programs that run together. */
  readonly lists?: QueueLists;
}

interface PoolParts extends Parts {
  readonly oomKills: OomAccount;
}

/**
 * Takes the lock and adopts the workers of an earlier life; the queue is not asked yet.
 *
 * @param leaving the pool that has the workers until then: it lets go of them when little can go wrong any more
 * @throws UserError, RabbitError; ProgramLockedError, StateFolderError
 */
export function openProgram(program: Program, stateDir: string, parts: PoolParts, leaving?: ManagedPool): OpenProgram {
  const source = openQueue(program, parts);
  const settings = poolSettingsOf(program);
  leaving?.close();
  return programOf(program, source, openPool(program.name, settings, programStateDir(stateDir, program.name), parts));
}

/** As the loop takes it. */
export function programOf({ name, options, calendar }: Program, source: OpenQueue, pool: ManagedPool): OpenProgram {
  return {
    program: name,
    source,
    pool,
    policy: programPolicy(options),
    recycle: { maxAgeSec: options.maxWorkerAge, maxBytes: options.maxWorkerMemory, minAgeSec: options.minUptime },
    limits: options,
    ...(calendar === null ? {} : { calendar }),
    readTimeoutMs: QUEUE_TIMEOUT_MS + GRACE_MS,
  };
}

function openPool(program: string, settings: PoolSettings, stateDir: string, parts: PoolParts): ManagedPool {
  try {
    return openWorkerPool({ program, ...settings, stateDir, backoff: crashBackoff, ...parts });
  } catch (error) {
    throw error instanceof PoolLockedError ? new ProgramLockedError(program, error) : error;
  }
}

/** @throws UserError */
export function poolSettingsOf(program: Program): PoolSettings {
  const { options } = program;
  return {
    worker: workerOf(program),
    stopSignal: options.stopSignal,
    stopTarget: options.stopTarget,
    drainTimeoutMs: secToMs(options.drainTimeout),
    minUptimeMs: secToMs(options.minUptime),
    exitCodes: options.exitCodes,
  };
}

function workerOf({ options, worker }: Program): (processNum: number) => WorkerSettings {
  const user = options.user === undefined ? undefined : workerUser(options.user);
  return (processNum) => {
    const { command, output } = worker(processNum);
    return { command: { ...command, user }, output };
  };
}

/** The queue of a program; nothing is connected before it is read. */
export function openQueue({ name, options }: Program, parts: Parts): RabbitQueue {
  const { queueConnection, queueName, management, managementUrl, tlsCa, tlsCert, tlsKey } = options;
  return openRabbitQueue({
    program: name,
    connection: queueConnection,
    queueName,
    management,
    timeoutMs: QUEUE_TIMEOUT_MS,
    ...(managementUrl === undefined ? {} : { managementUrl }),
    ...(tlsCa === undefined ? {} : { tlsCa }),
    ...(tlsCert === undefined ? {} : { tlsCert }),
    ...(tlsKey === undefined ? {} : { tlsKey }),
    ...parts,
  });
}

/** Of another command, environment or queue everything is learned anew. DESIGN 7.18. */
export function learnerOf({ name, options, worker }: Program, stateDir: string): Learner {
  const { file, args, env } = worker(0).command;
  const { queueConnection, queueName } = options;
  return { program: name, folder: programStateDir(stateDir, name), of: [file, args, env, queueConnection, queueName] };
}

export function boardProgramOf({ name, options }: Program): BoardProgram {
  const { mode, minWorkers, maxWorkers } = options;
  const slo = sloOf(options);
  return { name, mode, minWorkers, maxWorkers, sloSec: slo?.sec ?? null, sloGoal: slo?.goal ?? null };
}
