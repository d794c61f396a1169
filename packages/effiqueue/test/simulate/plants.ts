/** What plants are made of that are drawn at random. */
import fc from "fast-check";
import { between } from "../support/spread.ts";

export const service = fc
  .record({
    law: fc.constantFrom("constant", "exponential", "lognormal"),
    meanSec: between(0.2, 3),
    cv: between(0.2, 1.5),
  })
  .map(({ law, meanSec, cv }) => {
    if (law === "lognormal") return { law, meanSec, cv } as const;
    return law === "constant" ? ({ law, meanSec } as const) : ({ law: "exponential", meanSec } as const);
  });

/** What tells of the queue. @param outageSec from and to when nothing can be read, where there is an outage */
export const brokerOf = (outageSec: readonly [number, number]) =>
  fc.record({
    sampleSec: fc.constantFrom(1, 5, 10),
    counts: fc.constantFrom("live" as const, "sampled" as const),
    noise: fc.constantFrom(0, 0, 0.1),
    missShare: fc.constantFrom(0, 0, 0.2),
    outages: fc.constantFrom([], [outageSec]),
    tellsAge: fc.boolean(),
    prefetch: fc.constantFrom(0, 0, 10),
  });
