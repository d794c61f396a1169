/**
 * One realisation of a load: when each message arrives and how much work it is. The same for every policy that is tried on it, so
 * that what differs is the policy. DESIGN 13.1. Pure.
 */
import { type Random, seeded } from "./random.ts";
import { type ServiceLaw, serviceTimes } from "./service.ts";
import { lengthOf, type Trace } from "./trace.ts";

export interface Load {
  /** Seconds from the beginning, ascending. */
  readonly arrivesAt: Float64Array;
  /** Seconds of one slot at full speed. */
  readonly work: Float64Array;
  /** Until here messages may arrive. */
  readonly lengthSec: number;
}

export function drawLoad(trace: Trace, service: ServiceLaw, seed: number): Load {
  const arrivesAt = instantsOf(trace, seeded("arrivals", seed));
  const draw = serviceTimes(service, seeded("service", seed));
  return { arrivesAt, work: arrivesAt.map(draw), lengthSec: lengthOf(trace) };
}

function instantsOf({ intervalSec, arrivals, spread }: Trace, random: Random): Float64Array {
  const instants = new Instants();
  for (const [i, count] of arrivals.entries()) {
    const from = i * intervalSec;
    if (spread === "poisson") {
      // Times between arrivals of a Poisson process forget what was before, so every interval may begin anew.
      const meanGap = intervalSec / count;
      for (let at = meanGap * random.exponential(); at < intervalSec; at += meanGap * random.exponential())
        instants.push(from + at);
    } else {
      const within = Float64Array.from({ length: Math.round(count) }, () => from + intervalSec * random.next());
      for (const at of within.sort()) instants.push(at);
    }
  }
  return instants.all();
}

/** A list of doubles that grows without a box for each. */
class Instants {
  #values = new Float64Array(1024);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const grown = new Float64Array(2 * this.#length);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#length++] = value;
  }

  all(): Float64Array {
    return this.#values.slice(0, this.#length);
  }
}
