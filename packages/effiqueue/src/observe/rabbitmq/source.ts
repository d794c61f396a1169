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

type Attempt = { readonly value: QueueReading } | { readonly trouble: RabbitError };

export class RabbitSource implements RabbitQueue {
  readonly #ways: Ways;
  readonly #reader: ManagementReader | null;
  /** Why the management API is not in use; `null`: it is. */
  #managementTrouble: RabbitError | null = null;
  #readingsSinceAttempt = 0;
  #lastSource: string;
  #saidInvisible = false;
  #inFlight: Promise<Reading<QueueReading>> | null = null;

  constructor(ways: Ways) {
    this.#ways = ways;
    this.#reader = ways.management === null ? null : new ManagementReader(ways.management.client);
    this.#lastSource = this.#reader === null ? AMQP : MANAGEMENT;
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
    this.#ways.management?.client.close();
    await this.#ways.amqp.close();
  }

  async #read(): Promise<Reading<QueueReading>> {
    const attempt = await this.#attempt();
    const at = this.#ways.clock.monotonicMs();
    if ("trouble" in attempt) return { kind: "unreadable", cause: attempt.trouble, at };
    return { kind: "ok", value: attempt.value, at };
  }

  #attempt(): Promise<Attempt> {
    const { timeoutMs } = this.#ways;
    if (this.#reader === null) return this.#byAmqp(timeoutMs);
    return this.#managementTrouble === null ? this.#preferred(this.#reader) : this.#fallback(this.#reader);
  }

  async #preferred(reader: ManagementReader): Promise<Attempt> {
    const { clock, timeoutMs } = this.#ways;
    const start = clock.monotonicMs();
    const attempt = await this.#byManagement(reader);
    if ("value" in attempt || FINAL.includes(attempt.trouble.code)) return attempt;
    return this.#byAmqp(Math.max(1, timeoutMs - (clock.monotonicMs() - start)));
  }

  /** Both at once: whether the management API is back must not delay what AMQP says. */
  async #fallback(reader: ManagementReader): Promise<Attempt> {
    this.#readingsSinceAttempt += 1;
    const isDue = this.#readingsSinceAttempt >= RETRY_EVERY;
    let isBack: Attempt | undefined;
    const retried = isDue
      ? this.#byManagement(reader).then((attempt) => {
          isBack = attempt;
          return attempt;
        })
      : undefined;
    const counts = await this.#countsByAmqp(this.#ways.timeoutMs);
    if (isBack !== undefined && isAnswer(isBack)) return isBack;
    if ("ready" in counts) return this.#heardAmqp(counts);
    const attempt = await retried;
    if (attempt !== undefined && isAnswer(attempt)) return attempt;
    // Nothing answers: until something does, both are asked at every reading.
    this.#readingsSinceAttempt = RETRY_EVERY;
    return { trouble: bothFailed(counts, this.#managementTrouble) };
  }

  async #byManagement(reader: ManagementReader): Promise<Attempt> {
    const { management, timeoutMs } = this.#ways;
    const shareMs = timeoutMs * MANAGEMENT_SHARE;
    this.#readingsSinceAttempt = 0;
    try {
      const value = await reader.read(shareMs);
      this.#managementTrouble = null;
      this.#readsBy(MANAGEMENT, "it answers again");
      management?.watch.reading(shareMs);
      return { value };
    } catch (error) {
      const trouble = this.#known(error);
      if (FINAL.includes(trouble.code)) this.#managementTrouble = null;
      else this.#managementTrouble = trouble;
      management?.watch.forgetSettings();
      return { trouble };
    }
  }

  async #byAmqp(timeoutMs: number): Promise<Attempt> {
    const counts = await this.#countsByAmqp(timeoutMs);
    return "ready" in counts ? this.#heardAmqp(counts) : { trouble: bothFailed(counts, this.#managementTrouble) };
  }

  async #countsByAmqp(
    timeoutMs: number,
  ): Promise<{ readonly ready: number; readonly consumers: number } | RabbitError> {
    try {
      return await this.#ways.amqp.read(timeoutMs);
    } catch (error) {
      return this.#known(error);
    }
  }

  #heardAmqp({ ready, consumers }: { readonly ready: number; readonly consumers: number }): Attempt {
    const { program, reporter } = this.#ways;
    this.#readsBy(AMQP, this.#managementTrouble?.message ?? "");
    if (!this.#saidInvisible) {
      this.#saidInvisible = true;
      reporter.emit("observe.queue.unacked_invisible", { program, source: AMQP });
    }
    return { value: { ready, unacked: null, consumers } };
  }

  #readsBy(source: string, why: string): void {
    if (source === this.#lastSource) return;
    this.#lastSource = source;
    const preferred = source === MANAGEMENT;
    const { program, reporter, amqp } = this.#ways;
    if (preferred) void amqp.close();
    reporter.emit("observe.source.switched", { program, source, preferred, why });
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
