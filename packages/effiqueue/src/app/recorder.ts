/**
 * A night of a running daemon as a trace: arrivals by the broker's own count, backlog and workers beside them, and what workers and
 * machine are like, so that it can be simulated again under another configuration. DESIGN 13.7.
 */
import type { ProgramStatus } from "../report/api-types.ts";
import type { Trace } from "../simulate/index.ts";

interface Row {
  arrivals: number | null;
  readonly backlog: number | null;
  readonly workers: number | null;
}

export class Recorder {
  readonly #intervalSec: number;
  readonly #rows: Row[] = [];
  /** Arrivals since the broker counts, at the last look that knew them. */
  #arrived: number | null = null;
  /** Looks whose arrivals are not known yet. */
  #unsettled = 0;
  readonly #sums = { mu: 0, mus: 0 };
  #workerBytes = 0;
  #memory: ProgramStatus["memory"] = null;

  constructor(intervalSec: number) {
    this.#intervalSec = intervalSec;
  }

  get rows(): number {
    return this.#rows.length;
  }

  /** What one look found, an interval after the one before. `null`: the daemon did not answer. */
  look(status: ProgramStatus | null): void {
    const queue = status?.queue ?? null;
    const total = queue?.publishedTotal ?? null;
    const rate = queue?.publishPerSec ?? status?.decision?.lambdaPerSec ?? null;
    this.#rows.push({ arrivals: null, backlog: queue?.backlog ?? null, workers: status?.workers?.current ?? null });
    this.#unsettled += 1;
    if (total !== null && this.#arrived !== null && total >= this.#arrived) this.#settle(total - this.#arrived);
    else if (rate !== null) this.#settle(rate * this.#intervalSec * this.#unsettled);
    if (total !== null) this.#arrived = total;
    if (status !== null) this.#learn(status);
  }

  trace(): Trace {
    const { mu, mus } = this.#sums;
    const { totalBytes = null, usedBytes = null, poolBytes = null } = this.#memory ?? {};
    return {
      intervalSec: this.#intervalSec,
      spread: "exact",
      arrivals: this.#rows.map(({ arrivals }) => arrivals ?? 0),
      measured: {
        backlog: this.#rows.map(({ backlog }) => backlog),
        workers: this.#rows.map(({ workers }) => workers),
      },
      facts: {
        ...(mu > 0 ? { service_sec: Number((mus / mu).toPrecision(6)) } : {}),
        ...(this.#workerBytes > 0 ? { worker_bytes: this.#workerBytes } : {}),
        ...(totalBytes === null ? {} : { memory_bytes: totalBytes }),
        ...(usedBytes === null || poolBytes === null ? {} : { other_bytes: Math.max(0, usedBytes - poolBytes) }),
      },
    };
  }

  /** What came since the last look that knew, spread evenly over those that did not. */
  #settle(arrivals: number): void {
    for (const row of this.#rows.slice(-this.#unsettled)) row.arrivals = arrivals / this.#unsettled;
    this.#unsettled = 0;
  }

  #learn({ decision, memory }: ProgramStatus): void {
    if (decision?.muPerSec != null && decision.muPerSec > 0) {
      this.#sums.mu += decision.muPerSec;
      this.#sums.mus += 1;
    }
    this.#workerBytes = Math.max(this.#workerBytes, memory?.workerBytes ?? 0);
    this.#memory = memory ?? this.#memory;
  }
}
