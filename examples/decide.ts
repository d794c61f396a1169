/** The policy alone: pure, with no broker, no clock and no processes. Here two ticks by hand, as the daemon makes them. */
import { initialState, type Observation, programConfig, step, workersNeeded } from "effiqueue/decide";

console.log("needed:", workersNeeded(50_000, 200, 8, 120)); // backlog, arrivals/s, messages/s of one worker, seconds to empty it

const program = programConfig({
  command: "node work.js",
  queueConnection: "amqp://unused",
  queueName: "orders",
  maxWorkers: 100,
  sloDrainTime: "2m",
  ramBudget: "12GB",
});

const observed: Observation = {
  dtSec: 10, // the real time since the tick before
  queue: { ready: 50_000, unacked: 2, ackedTotal: 0, publishedTotal: 0 }, // null: it could not be read
  workers: { starting: 0, serving: 2, draining: 0 },
  memory: {
    totalBytes: 16 * 1024 ** 3,
    usedBytes: 4 * 1024 ** 3,
    poolBytes: 1024 ** 3,
    largestWorkerBytes: 512 * 1024 ** 2,
    swapUsedBytes: 0,
    swapTotalBytes: 0,
  },
};
const first = step(program, initialState(program), observed);

const queue = { ready: 51_840, unacked: 2, ackedTotal: 160, publishedTotal: 2_000 };
const second = step(program, first.state, { ...observed, queue }); // the state of one tick goes into the next; it is JSON

for (const { decision } of [first, second]) console.log(`${decision.desired} workers: ${decision.rationale}`);
console.log("missing:", second.decision.gap?.workers);
