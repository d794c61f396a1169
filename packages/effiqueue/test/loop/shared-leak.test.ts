import { describe, expect, it } from "vitest";
import { readable } from "./fakes.ts";
import { GB, loopOf, MB, type SloProgram, saturated, sloProgram } from "./slo-programs.ts";

/** Two programs that have work for more than fits; the workers of `b` take twice as much after half an hour. */
function leaking(optionsOfB: object = {}) {
  const a = sloProgram("a", { ramBudget: "2GB" }, 100);
  const b = sloProgram("b", { ramBudget: "2GB", ...optionsOfB }, 100_000);
  const { loop, clock, reporter, memory } = loopOf([a, b], { ramBudgetBytes: 2 * GB });
  memory.workerBytes = (pid) => {
    const born = b.pool.workers.find(({ identity }) => identity.pid === pid)?.startedAt;
    return 100 * MB * (1 + (born === undefined ? 0 : (clock.nowMs - born) / 1_800_000));
  };
  for (const each of [a, b]) {
    each.source.answer = () => readable(saturated(each, { mu: 5, lambda: 100, backlog: 90_000 }));
  }
  const run = async (hours: number): Promise<void> => {
    for (const end = clock.nowMs + hours * 3_600_000; clock.nowMs < end; clock.nowMs += 30_000) {
      for (const { name, pool } of [a, b]) {
        await loop.tick(name);
        for (const { identity, state } of pool.workers) if (state === "draining") pool.leave(identity.pid);
      }
    }
  };
  const live = ({ pool }: SloProgram) => pool.counts().starting + pool.counts().serving;
  return { a, b, run, live, recycled: () => reporter.of("act.worker.recycled") };
}

describe("DESIGN 4.13: a program that leaks in a shared budget", () => {
  it("has its large workers replaced, and keeps some number of them beside the other", async () => {
    const { a, b, run, live, recycled } = leaking();
    await run(3);
    expect(live(a)).toBeGreaterThanOrEqual(8);
    expect(live(b)).toBeGreaterThanOrEqual(4);
    expect(new Set(recycled().map(({ program, why }) => `${program} ${why}`))).toEqual(new Set(["b outgrown"]));
  });

  it("would be worn down", async () => {
    const { b, run, live, recycled } = leaking({ maxWorkerMemory: "100GB" });
    await run(3);
    expect(live(b)).toBeLessThanOrEqual(2);
    expect(recycled()).toEqual([]);
  });
});
