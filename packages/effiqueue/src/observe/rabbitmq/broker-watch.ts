/**
 * What the management API says of the broker itself, asked now and then and never waited for: alarms, and settings that make
 * measuring worse than it could be. DESIGN 7.2.
 */
import type { Clock, Reporter } from "../../model/ports.ts";
import { type MonotonicMs, msToSec } from "../../units.ts";
import type { ManagementClient } from "./http.ts";
import { field } from "./parse.ts";

/** Readings from one look at the alarms to the next. */
const ALARM_EVERY = 6;

export const ALARMS_PATH = "/api/health/checks/alarms";
export const OVERVIEW_PATH = "/api/overview?columns=rates_mode,disable_stats,rabbitmq_version";

export class BrokerWatch {
  readonly #client: ManagementClient;
  readonly #program: string;
  readonly #clock: Clock;
  readonly #reporter: Reporter;
  #readings = 0;
  #knowsSettings = false;
  #note: string | null = null;
  #alarms: { readonly text: string; readonly since: MonotonicMs } | null = null;
  #isLooking = false;

  constructor(client: ManagementClient, program: string, clock: Clock, reporter: Reporter) {
    this.#client = client;
    this.#program = program;
    this.#clock = clock;
    this.#reporter = reporter;
  }

  /** After a reading that succeeded. */
  reading(timeoutMs: number): void {
    const isDue = this.#readings % ALARM_EVERY === 0;
    this.#readings += 1;
    if ((!isDue && this.#knowsSettings) || this.#isLooking) return;
    this.#isLooking = true;
    void this.#look(timeoutMs, isDue).finally(() => {
      this.#isLooking = false;
    });
  }

  /** The management API was away: the broker may come back with other settings. */
  forgetSettings(): void {
    this.#knowsSettings = false;
  }

  /** A user who may not ask, or a broker too old to answer, does without; nobody waits who could hear of an error. */
  async #look(timeoutMs: number, withAlarms: boolean): Promise<void> {
    try {
      if (!this.#knowsSettings) this.#heardSettings(await this.#client.get(OVERVIEW_PATH, timeoutMs));
      if (withAlarms) this.#heardAlarms(alarmsIn(await this.#client.answer(ALARMS_PATH, timeoutMs)));
    } catch {
      // The reading beside it says what is wrong with the management API.
    }
  }

  #heardSettings(overview: unknown): void {
    this.#knowsSettings = true;
    const note = noteOn(overview);
    if (note !== null && note !== this.#note) {
      this.#reporter.emit("observe.broker.noted", { program: this.#program, note });
    }
    this.#note = note;
  }

  #heardAlarms(text: string | null | undefined): void {
    if (text === undefined || text === (this.#alarms?.text ?? null)) return;
    const program = this.#program;
    const now = this.#clock.monotonicMs();
    const since = this.#alarms?.since ?? now;
    if (text === null) {
      const after_sec = Math.round(msToSec(now - since));
      this.#reporter.emit("observe.broker.alarm_cleared", { program, after_sec });
      this.#alarms = null;
    } else {
      this.#reporter.emit("observe.broker.alarmed", { program, alarms: text });
      this.#alarms = { text, since };
    }
  }
}

/** What makes measuring worse; `null`: nothing. */
export function noteOn(overview: unknown): string | null {
  const remedy = "mu and lambda are inferred from the backlog, which takes longer and is less exact";
  if (field(overview, "disable_stats") === true) {
    return `the broker collects no statistics (management_agent.disable_metrics_collector or disable_stats): ${remedy}`;
  }
  return field(overview, "rates_mode") === "none"
    ? `the broker counts no rates (management.rates_mode = none): ${remedy}`
    : null;
}

/** The alarms in effect; `null`: none; `undefined`: cannot be told. */
export function alarmsIn({
  status,
  body,
}: {
  readonly status: number;
  readonly body: string;
}): string | null | undefined {
  if (status === 200) return null;
  // The check answers with this status when it fails.
  if (status !== 503) return undefined;
  try {
    const alarms = field(JSON.parse(body), "alarms");
    if (!Array.isArray(alarms)) return undefined;
    const texts = alarms.map((alarm) => `${String(field(alarm, "resource"))} on ${String(field(alarm, "node"))}`);
    return texts.length === 0 ? undefined : texts.sort().join(", ");
  } catch {
    return undefined;
  }
}
