/** Follows the demo from outside: the queue's file, the autoscaler's log, the producer's word and the jobs' journal. */
import type { Queue } from "flexiq";
import { JournalReader } from "./journal.ts";
import { Accident } from "./kill.ts";
import { AUTOSCALE } from "./load.ts";
import type { Message } from "./messages.ts";
import type { Moment, Note } from "./picture.ts";
import { type Evidence, recordOf } from "./summary.ts";

/** The kill comes when this part of the largest backlog is left: in the middle of the work. */
const STRIKE_AT = 0.7;
const EVERY_JOB = 1_000_000;

export class Watch {
  readonly #queue: Queue;
  readonly #journal: JournalReader;
  readonly #onNote: (note: Note) => void;
  readonly #beganAt = performance.now();
  readonly #accident = new Accident();
  readonly #acknowledged = new Set<number>();
  readonly #firstSeen = new Map<number, string>();
  readonly #decided = { grow: 0, shrink: 0, hold: 0 };
  readonly #history: { pending: number; workers: number }[] = [];
  #decisions: Note[] = [];
  #events: Note[] = [];
  #peakPending = 0;
  #peakWorkers = 0;
  #workersLeft = 0;
  #lastLeaving: { readonly note: Note | undefined; readonly count: number } = { note: undefined, count: 0 };
  /** Process number of the worker that was killed, until another one has it. */
  #vacancy: number | null = null;
  #moment: Moment | null = null;

  constructor(queue: Queue, journalDir: string, onNote: (note: Note) => void) {
    this.#queue = queue;
    this.#journal = new JournalReader(journalDir);
    this.#onNote = onNote;
  }

  hear(message: Message): void {
    if (message.kind === "log") this.#hearAutoscaler(message.fields);
    else {
      for (const id of message.ids) this.#acknowledged.add(id);
      if (message.ids.length > 1) this.#note(`${message.ids.length} jobs enqueued at once`);
    }
  }

  /** Looks at the queue now. */
  async look(): Promise<Moment> {
    const [stats, rows] = await Promise.all([this.#queue.stats(), this.#queue.store.workers()]);
    this.#journal.refresh();
    const workers = rows.filter(({ cordoned }) => !cordoned);
    this.#peakPending = Math.max(this.#peakPending, stats.pending);
    this.#peakWorkers = Math.max(this.#peakWorkers, workers.length);
    this.#workersLeft = rows.length;

    if (stats.pending > 0 && stats.pending < this.#peakPending * STRIKE_AT) {
      const victim = this.#accident.strike(rows);
      if (victim !== null)
        this.#note(`SIGKILL to worker ${victim.identity.pid}, which runs ${victim.busy} jobs`, "bad");
    }
    const news = this.#accident.follow(this.#journal);
    if (news !== null) this.#note(news, this.#accident.over ? "good" : "bad");

    const elapsedSec = this.#elapsedSec();
    if (elapsedSec >= this.#history.length) {
      this.#history.push({ pending: stats.pending, workers: workers.length });
      await this.#rememberRecords();
    }
    this.#moment = {
      elapsedSec,
      pending: stats.pending,
      running: stats.running,
      slots: rows.reduce((sum, { slots }) => sum + slots, 0),
      workers: workers.length,
      draining: rows.length - workers.length,
      maxWorkers: AUTOSCALE.maxWorkers,
      completed: stats.completed,
      enqueued: this.#acknowledged.size,
      history: this.#history,
      decisions: this.#decisions,
      events: this.#events,
    };
    return this.#moment;
  }

  /** Whether every job has come to an end, the accident is over and no worker is left. */
  get settled(): boolean {
    const moment = this.#moment;
    return (
      moment !== null && moment.completed >= this.#acknowledged.size && this.#workersLeft === 0 && this.#accident.over
    );
  }

  async evidence(): Promise<Evidence> {
    this.#journal.refresh();
    const records = await this.#queue.jobs({ limit: EVERY_JOB });
    return {
      acknowledged: this.#acknowledged,
      records,
      firstSeen: this.#firstSeen,
      journal: this.#journal.entries,
      kill: this.#accident.kill,
      peakWorkers: this.#peakWorkers,
      workersLeft: (await this.#queue.store.workers()).length,
      decisions: this.#decided,
      tookSec: this.#elapsedSec(),
    };
  }

  async #rememberRecords(): Promise<void> {
    for (const job of await this.#queue.jobs({ state: "completed", limit: EVERY_JOB })) {
      if (!this.#firstSeen.has(job.id)) this.#firstSeen.set(job.id, recordOf(job));
    }
  }

  #hearAutoscaler(fields: Readonly<Record<string, unknown>>): void {
    const { event, pid, process_num: processNum, kind } = fields;
    if (event === "loop.tick.decided") this.#hearDecision(fields);
    else if (event === "act.worker.exited") {
      if (kind === "stopped") this.#noteLeaving(Number(pid));
      else this.#vacancy = Number(processNum);
    } else if (event === "act.worker.spawned" && processNum === this.#vacancy) {
      this.#vacancy = null;
      this.#note(`worker ${String(pid)} started in its place`, "good");
    }
  }

  /** Workers that leave one right after the other share a line of the picture. */
  #noteLeaving(pid: number): void {
    const last = this.#events.at(-1);
    const alone = this.#note(`worker ${pid} finished its jobs and left`);
    const together = last !== undefined && last === this.#lastLeaving.note && alone.atSec - last.atSec < 1;
    const count = together ? this.#lastLeaving.count + 1 : 1;
    const note = together ? { ...alone, text: `${count} workers finished their jobs and left` } : alone;
    this.#events = [...this.#events.slice(0, together ? -2 : -1), note];
    this.#lastLeaving = { note, count };
  }

  /** Growing and shrinking make a line each; a hold replaces the hold before it. */
  #hearDecision(fields: Readonly<Record<string, unknown>>): void {
    const current = Number(fields["current_workers"]);
    const desired = Number(fields["desired_workers"]);
    const action = desired > current ? "grow" : desired < current ? "shrink" : "hold";
    const lastWasHold = this.#decisions.at(-1)?.text.includes("hold:") === true;
    this.#decided[action]++;
    const note = { atSec: this.#elapsedSec(), text: `${current} -> ${desired}  ${String(fields["rationale"])}` };
    this.#decisions = [...(action === "hold" && lastWasHold ? this.#decisions.slice(0, -1) : this.#decisions), note];
    if (action !== "hold") this.#onNote(note);
  }

  #note(text: string, tone?: "bad" | "good"): Note {
    const note = { atSec: this.#elapsedSec(), text, ...(tone === undefined ? {} : { tone }) };
    this.#events = [...this.#events, note];
    this.#onNote(note);
    return note;
  }

  #elapsedSec(): number {
    return (performance.now() - this.#beganAt) / 1000;
  }
}
