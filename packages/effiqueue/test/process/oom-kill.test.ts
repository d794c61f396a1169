import { describe, expect, it, onTestFinished } from "vitest";
import type { WorkerExit } from "../../src/model/worker.ts";
import { killIfThere } from "../support/kill-if-there.ts";
import { startFixture } from "../support/processes.ts";
import { starvation } from "../support/starvation.ts";

type Ended = Pick<WorkerExit, "pid" | "kind" | "signal"> & { readonly backoffSec: number };

function startPool() {
  const place = starvation();
  let pids: readonly number[] = [];
  onTestFinished(() => {
    for (const pid of pids) killIfThere(-pid);
  });
  const fixture = startFixture("starving.mjs", place.root, place.group, place.script);
  const next = async <T>(): Promise<T> => JSON.parse(await fixture.line()) as T;
  return {
    place,
    ended: () => next<Ended>(),
    grow: async (count: number) => {
      fixture.say(String(count));
      pids = await next<number[]>();
      return pids;
    },
  };
}

describe("DESIGN 4.12: a worker that the kernel killed for want of memory", () => {
  it("is told from one that crashed, and is no reason to pause while others live", async () => {
    const { place, ended, grow } = startPool();
    for (let kills = 0; kills < 4; kills += 1) {
      place.strike(await grow(2));
      expect(await ended()).toMatchObject({ kind: "oom-killed", signal: "SIGKILL", backoffSec: 0 });
    }
    // The same signal at the same age, from somebody else.
    const [first = 0] = await grow(2);
    process.kill(-first, "SIGKILL");
    expect(await ended()).toMatchObject({ pid: first, kind: "crashed", signal: "SIGKILL" });
  });

  it("is a crash like any other where not even one of them fits", async () => {
    const { place, ended, grow } = startPool();
    const pauses: number[] = [];
    for (let kills = 0; kills < 3; kills += 1) {
      place.strike(await grow(1));
      const { kind, backoffSec } = await ended();
      expect(kind).toBe("oom-killed");
      pauses.push(Math.ceil(backoffSec));
    }
    expect(pauses).toEqual([0, 0, 1]);
  });
});
