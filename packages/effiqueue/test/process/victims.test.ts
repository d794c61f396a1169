import { describe, expect, it } from "vitest";
import { victimOrder } from "../../src/act/victims.ts";
import type { WorkerState } from "../../src/model/worker.ts";

interface Case {
  readonly name: string;
  readonly state: WorkerState;
  readonly startedAt: number;
  readonly idle?: boolean;
}

const serving = (name: string, startedAt: number, idle = false): Case => ({ name, state: "serving", startedAt, idle });
const starting = (name: string, startedAt: number): Case => ({ name, state: "starting", startedAt });

describe("DESIGN 4.4: who goes first", () => {
  it.each<[string, Case[], string]>([
    ["nobody from nobody", [], ""],
    [
      "starting ones first, the youngest first",
      [serving("s", 1, true), starting("old", 2), starting("new", 3)],
      "new old s",
    ],
    ["an idle one before an older busy one", [serving("busy", 1), serving("idle", 9, true)], "idle busy"],
    ["the oldest of the idle", [serving("b", 2, true), serving("a", 1, true)], "a b"],
    ["the oldest of the busy", [serving("c", 3), serving("a", 1), serving("b", 2)], "a b c"],
    [
      "nobody twice",
      [
        { name: "retiring", state: "retiring", startedAt: 1, idle: true },
        { name: "draining", state: "draining", startedAt: 2 },
        serving("s", 3),
      ],
      "s",
    ],
    [
      "all kinds in one order",
      [serving("busy", 1), serving("idle", 2, true), starting("starting", 3), serving("busy2", 4)],
      "starting idle busy busy2",
    ],
  ])("%s", (_, workers, order) => {
    expect(
      victimOrder(workers, ({ idle }) => idle === true)
        .map(({ name }) => name)
        .join(" "),
    ).toBe(order);
  });
});
