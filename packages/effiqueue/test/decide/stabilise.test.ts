import { describe, expect, it } from "vitest";
import { ageRecommendations, rememberRecommendation, stabilise } from "../../src/decide/index.ts";

const windows = (scaleUpWindowSec: number, scaleDownWindowSec: number) => ({ scaleUpWindowSec, scaleDownWindowSec });

describe("DESIGN 8.5: stabilisation", () => {
  it.each([
    // note: what the naive answer would be, min or max over the window picked by direction
    { up: 0, down: 0, recent: [], age: 0, now: 3, current: 5, workers: 3, heldBy: null, note: "3: nothing to smooth" },
    {
      up: 60,
      down: 0,
      recent: [3],
      age: 10,
      now: 8,
      current: 5,
      workers: 5,
      heldBy: "up-window",
      note: "3: a wish to grow shrinks",
    },
    { up: 60, down: 0, recent: [6], age: 10, now: 8, current: 5, workers: 6, heldBy: "up-window", note: "6" },
    {
      up: 0,
      down: 300,
      recent: [10],
      age: 60,
      now: 3,
      current: 9,
      workers: 9,
      heldBy: "down-window",
      note: "10: a wish to shrink grows",
    },
    { up: 0, down: 300, recent: [7], age: 60, now: 3, current: 9, workers: 7, heldBy: "down-window", note: "7" },
    { up: 60, down: 300, recent: [10, 3], age: 5, now: 12, current: 10, workers: 10, heldBy: "up-window", note: "3" },
    { up: 60, down: 60, recent: [1, 20], age: 5, now: 10, current: 10, workers: 10, heldBy: null, note: "1 or 20" },
    {
      up: 60,
      down: 0,
      recent: [3],
      age: 59.9,
      now: 8,
      current: 5,
      workers: 5,
      heldBy: "up-window",
      note: "just inside",
    },
    { up: 60, down: 0, recent: [3], age: 60, now: 8, current: 5, workers: 8, heldBy: null, note: "just outside" },
    {
      up: 0,
      down: 300,
      recent: [9],
      age: 299.9,
      now: 3,
      current: 9,
      workers: 9,
      heldBy: "down-window",
      note: "just inside",
    },
    { up: 0, down: 300, recent: [9], age: 300, now: 3, current: 9, workers: 3, heldBy: null, note: "just outside" },
  ])("current $current, recent $recent $age s ago, now $now: $workers (naive: $note)", (row) => {
    const history = row.recent.map((workers) => ({ workers, ageSec: row.age }));
    const { workers, heldBy } = row;
    expect(stabilise(history, row.now, row.current, windows(row.up, row.down))).toEqual({ workers, heldBy });
  });

  it("forgets what has left the wider of the two windows, and keeps what is inside either", () => {
    const history = [
      { workers: 3, ageSec: 50 },
      { workers: 4, ageSec: 295 },
    ];
    expect(ageRecommendations(history, 5, windows(60, 300))).toEqual([{ workers: 3, ageSec: 55 }]);
    expect(ageRecommendations(history, 5, windows(400, 300))).toHaveLength(2);
  });

  it("keeps one entry for each number, the newest, however many ticks there are", () => {
    let history = rememberRecommendation([], 1);
    for (let tick = 0; tick < 1000; tick++) {
      history = rememberRecommendation(ageRecommendations(history, 0.001, windows(0, 300)), 1 + (tick % 4));
    }
    expect(history.map(({ workers }) => workers).toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4]);
    expect(history.at(-1)).toEqual({ workers: 4, ageSec: 0 });
  });
});
