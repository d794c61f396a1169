/**
 * One queue, read by the management API while that answers and by AMQP while it does not, without a gap between both.
 * DESIGN 7.1.
 *
 *     management --fails--> AMQP (the management API is tried at every third reading, beside it) --answers--> management
 */
import type { Diagnosis } from "../../model/diagnosis.ts";
import type { QueueReading } from "../../model/observation.ts";
import type { Reading } from "../../model/reading.ts";
import { diagnose } from "./diagnose.ts";
import { RabbitError, type RabbitErrorCode } from "./errors.ts";
import { ManagementReader } from "./management.ts";
import type { RabbitQueue } from "./options.ts";
import { PrefetchHint } from "./prefetch-hint.ts";
import { bothFailed } from "./troubles.ts";
import type { Ways } from "./ways.ts";

const MANAGEMENT = "the management API";
const AMQP = "AMQP";

/** The rest of the time is left for AMQP, so that a management API that hangs costs no reading. */
const MANAGEMENT_SHARE = 0.6;

/** At the usual pace twice a minute: soon enough, and no flood of refusals in the broker's log. */
const RETRY_EVERY = 3;

/** What AMQP cannot know better: the management API answered, and that is the answer. */
const FINAL: readonly RabbitErrorCode[] = ["missing-queue", "stream"];

type Attempt = { readonly value: QueueReading; readonly source: string } | { readonly trouble: RabbitError };

export class RabbitSource implements RabbitQueue {
  readonly #ways: Ways;
  readonly #reader: ManagementReader | null;
  /** The last reading was by AMQP because the management API did not answer. */
  #hasFallenBack = false;
  /** What it said last; `null`: all is well. */
  #managementTrouble: RabbitError | null = null;
  #readingsSinceAttempt = 0;
  readonly #preferredSource: string;
  #lastSource: string;
  #saidInvisible = false;
  readonly #prefetch = new PrefetchHint();
  #inFlight: Promise<Reading<QueueReading>> | null = null;

  constructor(ways: Ways) {
    this.#ways = ways;
    const { management, amqp, clock } = ways;
    this.#reader = management === null ? null : new ManagementReader(management, amqp.asked.queue, clock);
    this.#preferredSource = this.#reader === null ? AMQP : MANAGEMENT;
    this.#lastSource = this.#preferredSource;
  }

  read(): Promise<Reading<QueueReading>> {
    this.#inFlight ??= this.#read().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  diagnose(): Promise<readonly Diagnosis[]> {
    return diagnose(this.#ways);
  }

  async close(): Promise<void> {
    this.#reader?.close();
    await this.#ways.amqp.close();
  }

  async #read(): Promise<Reading<QueueReading>> {
    const attempt = await this.#attempt();
    const at = this.#ways.clock.monotonicMs();
    if ("trouble" in attempt) {
      this.#hasFallenBack = false;
      return { kind: "unreadable", cause: attempt.trouble, at };
    }
    this.#hasFallenBack = attempt.source !== this.#preferredSource;
    this.#readsBy(attempt.source);
    const note = this.#prefetch.after(attempt.value);
    if (note !== null) this.#ways.reporter.emit("observe.broker.noted", { program: this.#ways.program, note });
    return { kind: "ok", value: attempt.value, at };
  }

  #attempt(): Promise<Attempt> {
    const { timeoutMs } = this.#ways;
    if (this.#reader === null) return this.#byAmqp(timeoutMs);
    // The trouble may have ended after the reading that asked: then this one goes there again.
    const isAway = this.#hasFallenBack && this.#managementTrouble !== null;
    return isAway ? this.#fallback(this.#reader) : this.#preferred(this.#reader);
  }

  async #preferred(reader: ManagementReader): Promise<Attempt> {
    const { clock, timeoutMs, amqp } = this.#ways;
    const start = clock.monotonicMs();
    const attempt = await this.#byManagement(reader);
    if (isAnswer(attempt)) {
      void amqp.close();
      return attempt;
    }
    return this.#byAmqp(Math.max(1, timeoutMs - (clock.monotonicMs() - start)));
  }

  /** Now and then both at once: whether the management API is back must not delay what AMQP says. */
  async #fallback(reader: ManagementReader): Promise<Attempt> {
    this.#readingsSinceAttempt += 1;
    let isBack: Attempt | undefined;
    const retried =
      this.#readingsSinceAttempt < RETRY_EVERY
        ? undefined
        : this.#byManagement(reader).then((attempt) => {
            isBack = attempt;
            return attempt;
          });
    const byAmqp = await this.#byAmqp(this.#ways.timeoutMs);
    if (isBack !== undefined && isAnswer(isBack)) return isBack;
    if ("value" in byAmqp) return byAmqp;
    const attempt = await retried;
    return attempt !== undefined && isAnswer(attempt) ? attempt : byAmqp;
  }

  async #byManagement(reader: ManagementReader): Promise<Attempt> {
    const { management, timeoutMs } = this.#ways;
    const shareMs = timeoutMs * MANAGEMENT_SHARE;
    this.#readingsSinceAttempt = 0;
    try {
      const value = await reader.read(shareMs);
      this.#managementTrouble = null;
      management?.watch.reading(shareMs);
      return { value, source: MANAGEMENT };
    } catch (error) {
      const trouble = this.#known(error);
      this.#managementTrouble = FINAL.includes(trouble.code) ? null : trouble;
      management?.watch.forgetSettings();
      return { trouble };
    }
  }

  async #byAmqp(timeoutMs: number): Promise<Attempt> {
    try {
      const { ready, consumers } = await this.#ways.amqp.read(timeoutMs);
      return { value: { ready, unacked: null, consumers, ...this.#reader?.servesOne }, source: AMQP };
    } catch (error) {
      return { trouble: bothFailed(this.#known(error), this.#managementTrouble) };
    }
  }

  /** Says what has changed with the source. */
  #readsBy(source: string): void {
    const { program, reporter } = this.#ways;
    if (source !== this.#lastSource) {
      const preferred = source === this.#preferredSource;
      const why = this.#managementTrouble?.message ?? "it answers again";
      reporter.emit("observe.source.switched", { program, source, preferred, why });
      this.#lastSource = source;
    }
    if (source === AMQP && !this.#saidInvisible) {
      reporter.emit("observe.queue.unacked_invisible", { program, source });
      this.#saidInvisible = true;
    }
  }

  /** A fault of ours must not end the loop either: a reading never rejects. */
  #known(error: unknown): RabbitError {
    if (error instanceof RabbitError) return error;
    return new RabbitError(
      "other",
      `reading failed: ${String(error)}`,
      "this is a fault of effiqueue; please report it",
    );
  }
}

/** The management API has spoken, be it to say that there is no such queue. */
const isAnswer = (attempt: Attempt): boolean => "value" in attempt || FINAL.includes(attempt.trouble.code);
