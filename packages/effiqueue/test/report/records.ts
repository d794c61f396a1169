/** Ticks as the loop reports them, with whatever a test wants otherwise; the figures are those of DESIGN 3.3. */
import type { ProgramDecision } from "../../src/model/decision.ts";
import type { TickRecord } from "../../src/model/tick-record.ts";
import { type Board, type BoardOptions, type BoardProgram, openBoard } from "../../src/report/board.ts";
import { wallMs } from "../../src/units.ts";
import { ManualClock } from "../support/manual-clock.ts";

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

export const DECISION: ProgramDecision = {
  current: 23,
  desired: 24,
  action: "grow",
  reason: "ram",
  trail: ["slo"],
  rationale: "scale-up: 50000 messages and 200/s in 120 s at 8/s a worker ask for 78, memory allows 24",
  needed: 78,
  capacity: 24,
  boundBy: "ram",
  gap: { workers: 54, bytes: 54 * 512 * MIB, bestDrainSec: Number.POSITIVE_INFINITY },
  mu: 8,
  lambda: 200,
  muInterval: { low: 7.5, high: 8.6 },
  lambdaInterval: { low: 190, high: 210 },
  muSource: 1,
  probing: false,
  spread: null,
  workerBytes: 512 * MIB,
};

export const RECORD: TickRecord = {
  program: "orders",
  at: wallMs(Date.UTC(2026, 10, 29, 22, 3, 10)),
  tookSec: 0.02,
  observation: {
    dtSec: 10,
    queue: { ready: 49_900, unacked: 100, ackRate: 184, publishRate: 200, consumers: 23, oldestAgeSec: 270 },
    workers: { starting: 0, serving: 23, draining: 2 },
    memory: {
      totalBytes: 16 * GIB,
      usedBytes: 13 * GIB,
      poolBytes: 11 * GIB,
      largestWorkerBytes: 512 * MIB,
      swapUsedBytes: 0,
      swapTotalBytes: 0,
      pressure: 0.01,
      limitedBy: "/sys/fs/cgroup/work.slice",
    },
    cpus: { count: 1.5, busyShare: 0.25, limitedBy: "/sys/fs/cgroup" },
  },
  unreadable: null,
  decision: DECISION,
  counts: { starting: 1, serving: 23, draining: 2 },
  budgetBytes: 12 * GIB,
  backoffSec: 0,
};

/** The queue could not be read. */
export const UNREAD: TickRecord = {
  ...RECORD,
  observation: { ...RECORD.observation, queue: null },
  unreadable: { code: "unreachable", message: "nobody listens at amqp://app:hunter2@broker" },
  decision: {
    ...DECISION,
    current: 24,
    desired: 24,
    action: "hold",
    reason: "unreadable",
    trail: [],
    rationale: "hold: queue unreadable",
    needed: null,
    gap: null,
  },
};

export const decided = (decision: Partial<ProgramDecision>, record: Partial<TickRecord> = {}): TickRecord => ({
  ...RECORD,
  ...record,
  decision: { ...DECISION, ...decision },
});

export const ORDERS: BoardProgram = { name: "orders", mode: "slo", minWorkers: 0, maxWorkers: 100, sloSec: 120 };
export const MAIL: BoardProgram = { name: "mail", mode: "threshold", minWorkers: 1, maxWorkers: 4, sloSec: null };

export interface TestBoard {
  readonly board: Board;
  readonly clock: ManualClock;
}

export function testBoard(
  programs: readonly BoardProgram[] = [ORDERS],
  options: Partial<BoardOptions> = {},
): TestBoard {
  const clock = new ManualClock();
  return { clock, board: openBoard(programs, { clock, version: "1.2.3", pollIntervalSec: 10, ...options }) };
}
