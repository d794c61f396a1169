import { describe, expect, it } from "vitest";
import type { TickRecord } from "../../../src/model/tick-record.ts";
import { openMetrics } from "../../../src/report/metrics/metrics.ts";
import { parseExposition } from "../../../src/report/metrics/parse.ts";
import { PROGRAM_METRICS } from "../../../src/report/metrics/table.ts";
import { type Figures, figuresOf, NO_FIGURES, SERIES } from "../../../src/report/top/figures.ts";
import { decided, MAIL, ORDERS, RECORD, testBoard, UNREAD } from "../records.ts";

const GIB = 1024 ** 3;

/** What the exporter writes is what the viewer reads. */
async function readBack(record: TickRecord, name = "orders"): Promise<Figures | undefined> {
  const { board } = testBoard([{ ...ORDERS, name }, MAIL]);
  const metrics = openMetrics(board);
  board.ticked({ ...record, program: name });
  return figuresOf(parseExposition(await metrics.expose())).get(name);
}

describe("DESIGN 6.8: the figures of the screen", () => {
  it("are all there after a round trip through the exporter, with their values", async () => {
    expect(await readBack(RECORD)).toEqual({
      workers: 24,
      starting: 1,
      draining: 2,
      desired: 24,
      needed: 78,
      capacity: 24,
      gapWorkers: 54,
      bestDrainSec: Number.POSITIVE_INFINITY,
      sloDrainSec: 120,
      sloWaitSec: null,
      oldestAgeSec: 270,
      backlog: 50_000,
      ready: 49_900,
      unacked: 100,
      muPerSec: 8,
      lambdaPerSec: 200,
      muLowPerSec: 7.5,
      muHighPerSec: 8.6,
      lambdaLowPerSec: 190,
      lambdaHighPerSec: 210,
      muSource: 1,
      probing: 0,
      workerBytes: GIB / 2,
      poolBytes: 11 * GIB,
      budgetBytes: 12 * GIB,
      spawnBackoffSec: 0,
      crashes: 0,
    } satisfies Figures);
  });

  it.each(Object.values(SERIES))("%s is a series of the exporter", (series) => {
    expect(PROGRAM_METRICS.map(({ name }) => name)).toContain(series);
  });

  it("are unknown, not zero and not -1, where the daemon does not know", async () => {
    const unmeasured = await readBack(decided({ needed: null, mu: null, lambda: null, gap: null, muSource: 0 }));
    expect(unmeasured).toMatchObject({ needed: null, muPerSec: null, lambdaPerSec: null, gapWorkers: null });
    expect(await readBack(UNREAD)).toMatchObject({ backlog: null, ready: null, unacked: null });
  });

  it("belong to the program they are of, whatever it is called", async () => {
    for (const name of ['a="b",c', "two\nlines", "back\\slash", "__proto__", "发送"]) {
      expect(await readBack(RECORD, name)).toMatchObject({ backlog: 50_000 });
    }
  });

  it("are none for a program that no series is of", () => {
    expect(figuresOf([{ name: "up", labels: {}, value: 1 }]).size).toBe(0);
    expect(Object.values(NO_FIGURES).every((figure) => figure === null)).toBe(true);
  });
});
