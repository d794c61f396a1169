import { monotonicMs } from "effiqueue";
import { describe, expect, it } from "vitest";
import { GrowthReport } from "../../src/loop/growth-report.ts";
import { decided } from "../report/records.ts";
import { EventLog } from "./fakes.ts";

const MIB = 1024 ** 2;

/** One look a minute at a program whose workers take as many MiB as said; what it reports. */
function reported(sizes: readonly (number | null)[], { boundBy = "ram", maxBytes }: Options = {}) {
  const log = new EventLog();
  const report = new GrowthReport("orders", log);
  for (const [minute, size] of sizes.entries()) {
    const { decision } = decided({ workerBytes: size === null ? null : size * MIB, boundBy, capacity: 5 });
    report.observe(decision, maxBytes, monotonicMs(60_000 * minute));
  }
  return log.of("decide.workers.outgrown");
}

interface Options {
  readonly boundBy?: "ram" | "max_workers";
  readonly maxBytes?: number;
}

const minutes = (count: number, size: number | null): (number | null)[] => Array.from({ length: count }, () => size);
const leaking = Array.from({ length: 60 }, (_, minute) => 100 + 10 * minute);

describe("DESIGN 4.13: workers that grow without a limit", () => {
  it("are said once, when half as many fit as once did", () => {
    expect(reported(leaking)).toEqual([
      { program: "orders", worker_bytes: 400 * MIB, was_bytes: 200 * MIB, workers_capacity: 5 },
    ]);
  });

  it.each<[string, ReturnType<typeof reported>]>([
    ["while they load, for ten minutes", reported([...minutes(5, 20), ...minutes(60, 300)])],
    ["that take less than twice as much", reported([...minutes(20, 100), ...minutes(60, 199)])],
    ["that something else limits", reported(leaking, { boundBy: "max_workers" })],
    ["that are replaced for their size", reported(leaking, { maxBytes: 500 * MIB })],
    ["that were never measured", reported(minutes(60, null))],
  ])("are no news %s", (_, said) => {
    expect(said).toEqual([]);
  });
});
