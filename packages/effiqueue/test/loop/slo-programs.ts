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

/** What a broker says while `workers` are saturated, each finishing `mu` a second; it counts at every look. */
export function saturated(
  { pool }: SloProgram,
  { mu, lambda, backlog }: { mu: number; lambda: number; backlog: number },
): QueueReading {
  const { serving, draining } = pool.counts();
  const unacked = Math.min(serving + draining, backlog);
  const ackRate = mu * serving;
  const { acked, published } = countedBy(pool, ackRate, lambda);
  return {
    ready: backlog - unacked,
    unacked,
    ackRate,
    publishRate: lambda,
    ackedTotal: acked,
    publishedTotal: published,
    consumers: serving,
  };
}

/** Totals that grow by the rates of now since the look before. */
function countedBy(pool: FakePool, ackRate: number, publishRate: number) {
  const nowMs = pool.clock?.nowMs ?? 0;
  const { atMs, acked, published } = totals.get(pool) ?? { atMs: nowMs, acked: 1_000_000, published: 2_000_000 };
  const sec = (nowMs - atMs) / 1_000;
  const now = { atMs: nowMs, acked: acked + ackRate * sec, published: published + publishRate * sec };
  totals.set(pool, now);
  return now;
}

const totals = new WeakMap<FakePool, { readonly atMs: number; readonly acked: number; readonly published: number }>();
