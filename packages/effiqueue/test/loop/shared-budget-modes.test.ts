/** Programs of every mode in one budget. */
import { describe, expect, it } from "vitest";
import { readable } from "./fakes.ts";
import { GB, loopOf, MB, type SloProgram, saturated, sloProgram } from "./slo-programs.ts";

const LIMIT = { ramBudget: "1GB" };
const FREE = { ...LIMIT, sloDrainTime: undefined };

/** One with an SLO and one of another mode; every worker takes 100 MB of 1 GB, and no machine holds what waits. */
function mixed(options: object) {
  const slo = sloProgram("slo", LIMIT, 100);
  const other = sloProgram("other", { ...FREE, scaleDownWindow: 0, ...options }, 1_000);
  const all = loopOf([slo, other], { ramBudgetBytes: GB });
  all.memory.workerBytes = () => 100 * MB;
  const feed = (program: SloProgram, backlog: number) => {
    const load = { mu: 5, lambda: backlog > 0 ? 100 : 0, backlog };
    program.source.answer = () => readable(saturated(program, load));
  };
  feed(slo, 90_000);
  feed(other, 90_000);
  const live = () => [slo, other].map(({ pool }) => pool.counts().serving);
  const polls = async (count: number) => {
    for (let i = 0; i < count; i += 1) {
      for (const name of ["other", "slo"]) {
        const { decision } = await all.loop.tick(name);
        const [a = 0, b = 0] = live();
        // The first worker of an empty pool starts in any case.
        if (decision.action === "grow" && decision.desired > 1) expect(a + b).toBeLessThanOrEqual(10);
      }
      all.clock.nowMs += 10_000;
    }
  };
  return { ...all, slo, other, feed, live, polls };
}

describe.each(["hpa", "threshold"])("DESIGN 2.19, 7.8: a program of mode %s and one with an SLO", (mode) => {
  it("have half each of the budget, and stay there", async () => {
    const { polls, live } = mixed({ mode });
    await polls(40);
    expect(live()).toEqual([5, 5]);
    await polls(20);
    expect(live()).toEqual([5, 5]);
  });

  it("get back what the other has no use for", async () => {
    const { slo, other, feed, polls, live } = mixed({ mode });
    feed(slo, 0);
    await polls(60);
    expect(live()).toEqual([0, 10]);
    feed(slo, 90_000);
    feed(other, 0);
    await polls(60);
    expect(live()).toEqual([10, 0]);
  });

  it("give way to priority, but for the first worker", async () => {
    const { polls, live } = mixed({ mode, priority: -1 });
    await polls(60);
    expect(live()).toEqual([9, 1]);
  });

  it("stay within it when a person asks for more", async () => {
    const { loop, polls, live, records } = mixed({ mode });
    await polls(40);
    loop.override("other", { kind: "scale", workers: 50 });
    await polls(20);
    const [, other = 0] = live();
    expect(other).toBeLessThanOrEqual(9);
    expect(records.of("other").at(-1)?.decision).toMatchObject({ reason: "ram", boundBy: "ram", desired: other });
    expect(records.of("other").at(-1)?.decision.trail).toContain("scaled");
  });
});
