/** A clock that a test moves by hand, and the loop's ports in memory. DESIGN 2.1. */
import type {
  Clock,
  Decision,
  EventFields,
  EventName,
  MachineReading,
  MemoryProbe,
  Observation,
  Policy,
  PoolCounts,
  QueueReading,
  QueueSource,
  Reading,
  Reporter,
  TickListener,
  TickRecord,
  WorkerExit,
  WorkerPool,
  WorkerSnapshot,
  WorkerView,
} from "effiqueue";
import { monotonicMs, wallMs } from "effiqueue";

/** Lets everything that is ready to run run: promise reactions, and what they start. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class FakeClock implements Clock {
  nowMs = 1_000_000;
  wallOffsetMs = 0;
  #timers = new Set<{ readonly at: number; readonly fire: () => void }>();

  monotonicMs = () => monotonicMs(this.nowMs);
  wallMs = () => wallMs(this.nowMs + this.wallOffsetMs);
  after = (delayMs: number, fire: () => void): (() => void) => {
    const timer = { at: this.nowMs + delayMs, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Moves time on, stopping at every timer on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.nowMs + ms;
    await settle();
    for (;;) {
      const [due] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (due === undefined) break;
      this.#timers.delete(due);
      this.nowMs = Math.max(this.nowMs, due.at);
      due.fire();
      await settle();
    }
    this.nowMs = end;
    await settle();
  }
}

export class FakeSource implements QueueSource {
  reads = 0;
  answer: () => Promise<Reading<QueueReading>>;
  constructor(queue: QueueReading = { ready: 0, unacked: 0 }) {
    this.answer = () => readable(queue);
  }
  read(): Promise<Reading<QueueReading>> {
    this.reads += 1;
    return this.answer();
  }
}

export const readable = (value: QueueReading): Promise<Reading<QueueReading>> =>
  Promise.resolve({ kind: "ok", value, at: monotonicMs(0) });

export const unreadable = (message: string): Promise<Reading<QueueReading>> =>
  Promise.resolve({ kind: "unreadable", cause: new Error(message), at: monotonicMs(0) });

/** Workers that exist only as numbers; `die` is an exit nobody asked for. */
export class FakePool implements WorkerPool {
  workers: WorkerSnapshot[] = [];
  views: readonly WorkerView[] | null = null;
  /** Whether it obeys when it is told to shrink; then workers go at once. */
  shrinks = false;
  readonly resized: number[] = [];
  readonly calls: string[] = [];
  refreshing: () => Promise<readonly WorkerView[] | null> = () => Promise.resolve(this.views);
  /** Told, a worker starts when it is added; else at 0. */
  clock: FakeClock | null = null;
  #exits: WorkerExit[] = [];
  #wakes = new Set<() => void>();
  #nextPid: number;

  /** @param firstPid pools that meet in one test need pids of their own */
  constructor(firstPid = 100) {
    this.#nextPid = firstPid;
  }

  get subscribers(): number {
    return this.#wakes.size;
  }

  add(state: WorkerSnapshot["state"] = "serving", startedAtMs = this.clock?.nowMs ?? 0): number {
    const pid = this.#nextPid++;
    const identity = { pid, startTime: `t${pid}`, bootId: "boot", pidNamespace: "ns" };
    this.workers.push({ identity, processNum: pid - 100, state, startedAt: monotonicMs(startedAtMs), adopted: false });
    return pid;
  }

  die(pid: number, kind: WorkerExit["kind"] = "exited"): void {
    this.workers = this.workers.filter(({ identity }) => identity.pid !== pid);
    this.#exits.push({ pid, processNum: pid - 100, exitCode: 1, signal: null, uptimeMs: 5, kind });
    this.wake();
  }

  wake(): void {
    for (const callback of this.#wakes) callback();
  }

  counts(): PoolCounts {
    const count = (...states: WorkerSnapshot["state"][]) =>
      this.workers.filter(({ state }) => states.includes(state)).length;
    return {
      starting: count("starting"),
      serving: count("serving"),
      draining: count("relieved", "retiring", "draining"),
    };
  }
  snapshot = () => this.workers;
  reap(): readonly WorkerExit[] {
    this.calls.push("reap");
    return this.#exits.splice(0);
  }
  refresh(): Promise<readonly WorkerView[] | null> {
    this.calls.push("refresh");
    return this.refreshing();
  }
  resize(desired: number): Promise<void> {
    this.calls.push("resize");
    this.resized.push(desired);
    while (this.counts().starting + this.counts().serving < desired) this.add();
    if (this.shrinks) {
      const live = this.workers.filter(({ state }) => state === "serving");
      const going = new Set(live.slice(Math.max(0, desired)));
      this.workers = this.workers.filter((worker) => !going.has(worker));
    }
    return Promise.resolve();
  }
  readonly recycled: number[] = [];
  recycle(pid: number): Promise<boolean> {
    this.recycled.push(pid);
    const worker = this.workers.find(({ identity }) => identity.pid === pid);
    if (worker === undefined) return Promise.resolve(false);
    this.become(pid, "draining");
    return Promise.resolve(true);
  }
  /** Who is called back is so by a test that says so. */
  relieve(pid: number): Promise<boolean> {
    if (this.backoffSec > 0) return Promise.resolve(false);
    this.become(pid, "relieved");
    this.add("starting");
    return Promise.resolve(true);
  }
  become(pid: number, state: WorkerSnapshot["state"]): void {
    this.workers = this.workers.map((each) => (each.identity.pid === pid ? { ...each, state } : each));
  }
  /** The end of one that drained. */
  leave(pid: number): void {
    this.workers = this.workers.filter(({ identity }) => identity.pid !== pid);
    this.#exits.push({ pid, processNum: pid - 100, exitCode: 0, signal: null, uptimeMs: 5, kind: "stopped" });
    this.wake();
  }
  onWake(callback: () => void): () => void {
    this.#wakes.add(callback);
    return () => this.#wakes.delete(callback);
  }
  shutdown = () => Promise.resolve();
  killAll = () => undefined;
  backoffSec = 0;
  spawnBackoffSec = () => this.backoffSec;
}

/** A machine whose every group takes the same. */
export class FakeMemory implements MemoryProbe {
  readonly asked: (readonly number[])[] = [];
  machine: Omit<MachineReading, "groupBytes"> = {
    totalBytes: 64 * 1024 ** 3,
    usedBytes: 8 * 1024 ** 3,
    swapUsedBytes: 0,
    swapTotalBytes: 0,
    limitedBy: "host",
  };
  workerBytes: (pid: number) => number | undefined = () => 512 * 1024 ** 2;
  answering: () => Promise<void> = () => Promise.resolve();

  async read(leaders: readonly number[]): Promise<MachineReading> {
    this.asked.push(leaders);
    await this.answering();
    const groups = leaders.flatMap((pid): [number, number][] => {
      const bytes = this.workerBytes(pid);
      return bytes === undefined ? [] : [[pid, bytes]];
    });
    return { ...this.machine, groupBytes: new Map(groups) };
  }
}

/** Every record of every tick. */
export class Records implements TickListener {
  readonly all: TickRecord[] = [];
  ticked(record: TickRecord): void {
    this.all.push(record);
  }
  of(program: string): TickRecord[] {
    return this.all.filter((each) => each.program === program);
  }
}

export interface CountingState {
  readonly steps: number;
}

/** Wants `desired` workers, keeps what it was told, and counts its steps in the state it is handed. */
export class FakePolicy implements Policy<CountingState> {
  desired: number;
  readonly observations: Observation[] = [];
  readonly stepsSeen: number[] = [];
  constructor(desired: number) {
    this.desired = desired;
  }
  initialState = () => ({ steps: 0 });
  step(state: CountingState, observation: Observation): { state: CountingState; decision: Decision } {
    this.observations.push(observation);
    this.stepsSeen.push(state.steps);
    const current = observation.workers.starting + observation.workers.serving;
    const decision: Decision = {
      current,
      desired: this.desired,
      action: this.desired > current ? "grow" : this.desired < current ? "shrink" : "hold",
      reason: "depth",
      trail: ["utilisation", "depth"],
      rationale: `wants ${this.desired}`,
    };
    return { state: { steps: state.steps + 1 }, decision };
  }
}

export class EventLog implements Reporter {
  readonly events: { readonly name: EventName; readonly fields: EventFields[EventName] }[] = [];
  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void {
    this.events.push({ name, fields });
  }
  of<Name extends EventName>(name: Name): EventFields[Name][] {
    return this.events.filter((each) => each.name === name).map((each) => each.fields as EventFields[Name]);
  }
}
