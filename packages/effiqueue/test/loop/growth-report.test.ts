import { describe, expect, it } from "vitest";
import { GrowthReport } from "../../src/loop/growth-report.ts";
import type { Growth } from "../../src/model/recycling.ts";
import { decided } from "../report/records.ts";
import { EventLog } from "./fakes.ts";

const MIB = 1024 ** 2;

/** What is reported of decisions that know this of growth. */
function reported(...growths: readonly (Growth | undefined)[]) {
  const log = new EventLog();
  const report = new GrowthReport("orders", log);
  for (const growth of growths) report.observe(decided({ capacity: 5, growth }).decision);
  return log.of("decide.workers.outgrown");
}

const growing = (bytes: number | null): Growth => ({
  grownBytes: 200 * MIB,
  limitBytes: 250 * MIB,
  worst: bytes === null ? null : { pid: 7, bytes },
});

describe("DESIGN 4.13: workers that grow for ever", () => {
  it("are said once, when the first has to go", () => {
    expect(reported(growing(null), growing(260 * MIB), growing(270 * MIB))).toEqual([
      { program: "orders", worker_bytes: 260 * MIB, was_bytes: 200 * MIB, workers_capacity: 5 },
    ]);
  });

  it("are no news while none has to", () => {
    expect(reported(undefined, growing(null))).toEqual([]);
  });
});
