/** Programs with an SLO on a loop whose queues, pools and machine exist only as numbers. DESIGN 2.6, 7.8. */
import { ControlLoop, type ControlLoopOptions, type QueueReading } from "effiqueue";
import { type BudgetLimit, type ProgramConfig, programConfig, programPolicy, sharedBudget } from "effiqueue/decide";
import { EventLog, FakeClock, FakeMemory, FakePool, FakeSource, Records } from "./fakes.ts";

export const MB = 1024 ** 2;
export const GB = 1024 ** 3;

export interface SloProgram {
  readonly name: string;
  readonly config: ProgramConfig;
  readonly source: FakeSource;
  readonly pool: FakePool;
}

export function sloProgram(name: string, options: object, firstPid = 100): SloProgram {
  const config = programConfig({
    command: "worker",
    queueConnection: "amqp://localhost",
    queueName: name,
    sloDrainTime: 120,
    maxWorkers: 100,
    ...options,
  });
  const pool = new FakePool(firstPid);
  pool.shrinks = true;
  return { name, config, source: new FakeSource(), pool };
}

export function loopOf(programs: readonly SloProgram[], limit: BudgetLimit, options: Partial<ControlLoopOptions> = {}) {
  const clock = new FakeClock();
  const reporter = new EventLog();
  const records = new Records();
  const memory = new FakeMemory();
  for (const { pool } of programs) pool.clock = clock;
  const loop = new ControlLoop({
    programs: programs.map(({ name, config, source, pool }) => ({
      program: name,
      source,
      pool,
      policy: programPolicy(config),
      limits: config,
    })),
    clock,
    reporter,
    pollIntervalMs: 10_000,
    memory,
    budget: sharedBudget(limit),
    listener: records,
    ...options,
  });
  return { loop, clock, reporter, records, memory };
}

/** What a broker says while `workers` are saturated, each finishing `mu` a second; new at every look. */
export function saturated(
  { pool }: SloProgram,
  { mu, lambda, backlog }: { mu: number; lambda: number; backlog: number },
): QueueReading {
  const { serving, draining } = pool.counts();
  looks += 1;
  const unacked = Math.min(serving + draining, backlog);
  return {
    ready: backlog - unacked,
    unacked,
    ackRate: mu * serving,
    publishRate: lambda,
    ackedTotal: 1_000_000 + 1_000 * looks,
    publishedTotal: 2_000_000 + 1_000 * looks,
    consumers: serving,
  };
}

let looks = 0;
