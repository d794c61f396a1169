/** The engine without flexiq: a backend, a policy and a worker command of your own. Here: one worker for every two files in a folder. */
import { readdir } from "node:fs/promises";
import { ControlLoop, createLogger, logReporter, openWorkerPool, type QueueSource, systemClock } from "effiqueue";
import { crashBackoff, type Decision, type Policy } from "effiqueue/decide";

const [folder = "inbox"] = process.argv.slice(2);

/** What could not be read is `unreadable`, never zero. */
const inbox: QueueSource = {
  async read() {
    const at = systemClock.monotonicMs();
    try {
      return { kind: "ok", value: { ready: (await readdir(folder)).length, unacked: null }, at };
    } catch (cause) {
      return { kind: "unreadable", cause: cause instanceof Error ? cause : new Error(String(cause)), at };
    }
  },
};

/** A pure function from what is seen, and a state of its own (this one needs none), to a decision. */
const halfAWorkerPerFile: Policy<null> = {
  initialState: () => null,
  step(state, { queue, workers }) {
    const current = workers.starting + workers.serving;
    if (queue === null) return { state, decision: decide(current, current, "unreadable", "hold: no such folder") };
    const desired = Math.min(4, Math.ceil(queue.ready / 2));
    return { state, decision: decide(current, desired, "depth", `${queue.ready} files want ${desired}`) };
  },
};

function decide(current: number, desired: number, reason: Decision["reason"], rationale: string): Decision {
  const action = desired > current ? "grow" : desired < current ? "shrink" : "hold";
  return { current, desired, action, reason, trail: [], rationale };
}

const program = "inbox";
const clock = systemClock;
const reporter = logReporter(createLogger({ name: program, level: "warn" }));
const worker = () => ({ command: { file: "sleep", args: ["3600"] } });
const pool = openWorkerPool({ program, worker, drainTimeoutMs: 10_000, backoff: crashBackoff, clock, reporter });
const loop = new ControlLoop({
  programs: [{ program, source: inbox, policy: halfAWorkerPerFile, pool }],
  clock,
  reporter,
  pollIntervalMs: 1_000,
});

const { decision } = await loop.tick(program); // or: await loop.run(), until loop.stop()
console.log(`${decision.current} -> ${decision.desired}: ${decision.rationale}; live: ${pool.counts().serving}`);
await pool.shutdown();
