import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { readable, unreadable } from "./fakes.ts";
import { GB, loopOf, MB, saturated, sloProgram } from "./slo-programs.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const TICKS = 10_000;
/** Few: what is kept for each tick is looked for, and a tick costs what its workers cost. */
const maxWorkers = 20;

/** Bytes of heap that are still in use. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

describe("DESIGN 2.1: the loop after ten thousand ticks", () => {
  it("holds no more than after the first thousand: no record, no exit, no sample is kept for ever", {
    timeout: 180_000,
  }, async () => {
    const programs = [
      sloProgram("a", { maxWorkers }, 100),
      sloProgram("b", { maxWorkers, mode: "threshold" }, 1_000_000),
    ];
    const { loop, clock, reporter, records, memory } = loopOf(programs, { headroomBytes: 2 * GB });
    memory.workerBytes = (pid) => 100 * MB + (pid % 7) * MB;
    let tick = 0;
    for (const program of programs) {
      program.source.answer = () => {
        // Load, outages, bursts and silence in turn, with and without rates.
        if (tick % 50 === 7) return unreadable(`trouble ${tick}`);
        const backlog = tick % 200 < 120 ? 5_000 + (tick % 17) * 100 : 0;
        const seen = saturated(program, { mu: 5, lambda: tick % 31, backlog });
        return readable(tick % 400 < 200 ? seen : { ready: seen.ready, unacked: null, consumers: seen.consumers });
      };
    }
    const sizes: number[] = [];
    for (; tick < TICKS; tick += 1) {
      const [victim] = programs[0]?.pool.workers ?? [];
      if (tick % 40 === 0 && victim !== undefined) programs[0]?.pool.die(victim.identity.pid);
      for (const { name } of programs) await loop.tick(name);
      clock.nowMs += 10_000;
      // What the fakes keep is theirs.
      reporter.events.length = 0;
      memory.asked.length = 0;
      for (const { pool } of programs) pool.resized.length = pool.calls.length = 0;
      if (tick % 1_000 === 999) {
        records.all.length = 0;
        sizes.push(heapUsed());
      }
    }
    expect(clock.pendingTimers).toBe(0);
    const [early = 0] = sizes.slice(0, 2).sort((a, b) => b - a);
    // A record of a hundred bytes a tick would be two megabytes.
    expect(Math.min(...sizes.slice(-3))).toBeLessThan(early + MB);
  });
});
