import { describe, expect, it } from "vitest";
import type { HistoryReply } from "../../src/report/api-types.ts";
import { pointOf } from "../../src/report/history-point.ts";
import { parsed, serving } from "./endpoint.ts";
import { decided, ORDERS, RECORD, testBoard, UNREAD } from "./records.ts";

const HOUR_MS = 3_600_000;

describe("DESIGN 6.7: the last hour", () => {
  it("has a point for each tick, with its age and what the status said", () => {
    const { board, clock } = testBoard();
    board.ticked(RECORD);
    clock.advance(10_000);
    board.ticked(UNREAD);
    clock.advance(5_000);
    const { ageSec, columns, spanSec } = board.history("orders") as HistoryReply;
    expect({ ageSec, spanSec }).toEqual({ ageSec: [15, 5], spanSec: 3600 });
    expect(columns).toMatchObject({
      runningWorkers: [24, 24],
      neededWorkers: [78, null],
      capacityWorkers: [24, 24],
      backlog: [50_000, null],
      lambdaPerSec: [200, 200],
      muPerSec: [8, 8],
      finishedPerSec: [184, null],
    });
  });

  it("ends with what the status shows now, so that a page can go on from there", () => {
    const { board } = testBoard();
    board.ticked(RECORD);
    const [program] = board.status().programs;
    const { columns } = board.history("orders") as HistoryReply;
    const last = Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.at(-1)]));
    expect(program && pointOf(program)).toEqual(last);
  });

  it.each([
    ["polls of ten seconds", 10_000, 361],
    ["polls of a second, five of them a point", 1_000, 720],
    ["polls of a minute", 60_000, 61],
  ])("keeps an hour and no more: %s", (_, everyMs, points) => {
    const { board, clock } = testBoard();
    for (let ms = 0; ms < 2.5 * HOUR_MS; ms += everyMs) {
      board.ticked(decided({ desired: ms / everyMs }));
      clock.advance(everyMs);
    }
    clock.advance(-everyMs);
    const { ageSec, columns } = board.history("orders") as HistoryReply;
    expect(ageSec).toHaveLength(points);
    expect(Math.max(...ageSec)).toBeLessThanOrEqual(3600);
    expect(ageSec.at(-1)).toBe(0);
    expect(columns.desiredWorkers.at(-1)).toBe((2.5 * HOUR_MS) / everyMs - 1);
    expect(ageSec.toSorted((a, b) => b - a)).toEqual(ageSec);
  });

  it("takes the latest of the ticks that come close together", () => {
    const { board, clock } = testBoard();
    for (const desired of [1, 2, 3]) {
      board.ticked(decided({ desired }));
      clock.advance(100);
    }
    const { columns } = board.history("orders") as HistoryReply;
    expect(columns.desiredWorkers).toEqual([3]);
  });

  it("forgets what is older while no tick comes", () => {
    const { board, clock } = testBoard();
    board.ticked(RECORD);
    clock.advance(HOUR_MS + 1);
    expect(board.history("orders")?.ageSec).toEqual([]);
  });

  it("is served one program at a time", async () => {
    const { get, board } = await serving();
    board.ticked(RECORD);
    expect(parsed(await get("/api/history?program=orders"))).toMatchObject({
      apiVersion: 1,
      program: "orders",
      ageSec: [0],
    });
    expect(parsed(await get("/api/history?program=mail"))).toMatchObject({ program: "mail", ageSec: [] });
    const answer = await get("/api/history");
    expect(answer.status).toBe(400);
    expect(answer.body).toContain("orders");
    expect((await get("/api/history?program=nobody")).status).toBe(404);
    const alone = await serving({ board: testBoard([ORDERS]) });
    expect((await alone.get("/api/history")).status).toBe(200);
  });

  it("answers an hour in less than a hundred kilobytes", async () => {
    const { get, board, clock } = await serving({ board: testBoard() });
    for (let i = 0; i < 720; i += 1) {
      board.ticked(decided({ mu: 8 + i / 7, lambda: 200 + i / 3 }));
      clock.advance(5_000);
    }
    expect((await get("/api/history")).body.length).toBeLessThan(100_000);
  });
});
