/** An autoscaler that is killed, and its successors: those that may believe what it had learned, and those that may not. */
import { copyFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DecisionEntry, DecisionsReply } from "../../../effiqueue/src/report/api-types.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { autoscale, PATIENCE_MS, type Place, place, type Run, untilWorkers, urlOf, workerPids } from "./support.ts";

const NAP = `queue.task("nap", (ms) => sleep(ms));`;
const FLAGS = ["--mode", "slo", "--slo-drain-time", "30", "--min-workers", "2", "--max-workers", "2"];

/** One tick and no second one. */
const once = (where: Place): Run =>
  autoscale(where, ...FLAGS, "--metrics-addr", "127.0.0.1:0", "--poll-interval", "3600");

async function firstDecision(scaler: Run): Promise<DecisionEntry> {
  const url = await urlOf(scaler);
  return waitFor(
    async () => {
      const { programs } = (await (await fetch(`${url}/api/decisions`)).json()) as DecisionsReply;
      return programs[0]?.decisions[0] ?? false;
    },
    { what: "a decision", timeoutMs: PATIENCE_MS },
  );
}

function muIn(file: string): number | false {
  if (!existsSync(file)) return false;
  const { learned } = JSON.parse(readFileSync(file, "utf8")) as { learned: { mu: { value: number } | null } };
  return learned.mu?.value ?? false;
}

describe("DESIGN 11.2: what mode slo has learned", () => {
  it("is what the successor of a killed autoscaler decides by at its first tick, and nothing to one of another app", async () => {
    const where = place(NAP);
    await where.queue.enqueueMany(Array.from({ length: 2_000 }, () => ({ task: "nap", args: [50] })));
    const first = autoscale(where, ...FLAGS);
    const pids = await untilWorkers(where, 2);
    const file = join(`${where.dbPath}.autoscale`, "learned.json");
    await waitFor(() => muIn(file), { what: "a service rate", timeoutMs: PATIENCE_MS });
    expect(first.of("app.learned.discarded"), "there was nothing").toEqual([]);
    first.child.kill("SIGKILL");
    await first.ended;

    const mu = muIn(file);
    const second = once(where);
    const decision = await firstDecision(second);
    expect(second.of("app.learned.restored")).toMatchObject([{ mu }]);
    expect(decision).toMatchObject({ times: 1, currentWorkers: 2, muPerSec: mu });
    expect(decision.neededWorkers, "it knows what a worker is worth").not.toBeNull();
    expect(await workerPids(where)).toEqual(pids);
    second.child.kill("SIGTERM");
    expect(await second.ended).toBe(0);

    const other = join(where.dir, "other.mjs");
    copyFileSync(where.app, other);
    const third = once({ ...where, app: other });
    expect(await firstDecision(third)).toMatchObject({ muPerSec: null, neededWorkers: null });
    expect(third.of("app.learned.discarded")).toMatchObject([{ why: "it was learned of another command or queue" }]);
    third.child.kill("SIGTERM");
    expect(await third.ended).toBe(0);
  });
});
