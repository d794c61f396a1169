/** What an operator told a program, wherever it is shown. */
import { describe, expect, it } from "vitest";
import type { Board } from "../../src/report/board.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { parseExposition } from "../../src/report/metrics/parse.ts";
import { troublesOf } from "../../src/report/troubles.ts";
import { MAIL, ORDERS, RECORD, testBoard } from "./records.ts";

const UNTIL = "2026-11-30T06:41:07.816Z";

async function shown(board: Board) {
  const [program] = board.status().programs;
  if (program === undefined) throw new Error("no program");
  const samples = parseExposition(await openMetrics(board).expose());
  const active = samples.filter(({ name }) => name === "effiqueue_override_active");
  return { ...program, said: troublesOf(program), active: active.map(({ labels, value }) => [labels["kind"], value]) };
}

describe("DESIGN 7.13: what was told, as it is shown", () => {
  it("is in the status, the metrics and the sentences for as long as it holds", async () => {
    const { board } = testBoard([ORDERS, MAIL]);
    let changes = 0;
    board.onChange(() => (changes += 1));
    board.ticked(RECORD);
    expect(await shown(board)).toMatchObject({ override: null, restart: null, active: [], said: [] });

    board.emit("loop.override.started", { program: "orders", override: "scale", workers: 5, until: UNTIL });
    const held = await shown(board);
    expect(held.override).toMatchObject({ kind: "scale", workers: 5, until: UNTIL });
    expect(held.active).toEqual([["scale", 1]]);
    expect(held.said[0]).toMatch(/^By hand, since .*: set to 5 workers, until 2026-11-30 06:41:07 \(UTC\)\.$/);

    board.emit("loop.override.ended", { program: "orders", override: "scale", why: "replaced" });
    board.emit("loop.override.started", { program: "orders", override: "pause-in", workers: 5, until: null });
    expect((await shown(board)).said[0]).toMatch(
      /: scaling in is paused, so the pool may grow and does not shrink \(from 5 workers\), until it is resumed\.$/,
    );
    board.emit("loop.override.ended", { program: "orders", override: "pause-in", why: "resumed" });
    expect(await shown(board)).toMatchObject({ override: null, active: [], said: [] });
    expect(changes).toBe(5);
  });

  it("counts a restart as it goes", async () => {
    const { board } = testBoard([ORDERS]);
    board.ticked(RECORD);
    const recycled = (why: "restart" | "age") =>
      board.emit("act.worker.recycled", {
        program: "orders",
        pid: 7,
        why,
        ...(why === "age" ? { value: 9, limit: 5 } : { value: null, limit: null }),
      });
    recycled("restart");
    board.emit("loop.restart.started", { program: "orders", workers: 3 });
    recycled("restart");
    recycled("age");
    const under = await shown(board);
    expect(under.restart).toMatchObject({ workers: 3, replaced: 1 });
    expect(under.active).toEqual([["restart", 1]]);
    expect(under.said).toEqual(["A restart is under way: 1 of 3 workers replaced."]);
    expect(under.totals.recycled).toEqual({ restart: 2, age: 1 });
    board.emit("loop.restart.ended", { program: "orders", why: "done" });
    expect(await shown(board)).toMatchObject({ restart: null, active: [], said: [] });
  });

  it("is not known of a pool that others have taken over", async () => {
    const { board } = testBoard([ORDERS]);
    board.emit("loop.override.started", { program: "orders", override: "drain", workers: 0, until: null });
    board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 7, adopted: true });
    expect(await shown(board)).toMatchObject({ override: null, active: [] });
  });
});
