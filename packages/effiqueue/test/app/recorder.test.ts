import { formatTrace, parseTrace } from "effiqueue/simulate";
import { describe, expect, it } from "vitest";
import { Recorder } from "../../src/app/recorder.ts";
import type { ProgramStatus } from "../../src/report/api-types.ts";
import { ORDERS, RECORD, testBoard } from "../report/records.ts";

const [base] = statuses();

function statuses(): readonly ProgramStatus[] {
  const { board } = testBoard([ORDERS]);
  board.ticked(RECORD);
  return board.status().programs;
}

const seen = (queue: Partial<NonNullable<ProgramStatus["queue"]>>): ProgramStatus => {
  if (base?.queue == null) throw new Error("the board knows no program");
  return { ...base, queue: { ...base.queue, publishPerSec: 3, ...queue } };
};

describe("DESIGN 13.7: a recording", () => {
  it("counts arrivals by the broker's total, and by its rate where the total is not known or was reset", () => {
    const recorder = new Recorder(10);
    for (const publishedTotal of [100, 120, 125, null, 135, 7, 9]) recorder.look(seen({ publishedTotal }));
    expect(recorder.trace().arrivals).toEqual([30, 20, 5, 30, 10, 30, 2]);
  });

  it("spreads what came while nobody answered over the looks that know nothing", () => {
    const recorder = new Recorder(10);
    recorder.look(seen({ publishedTotal: 100 }));
    recorder.look(null);
    recorder.look(null);
    recorder.look(seen({ publishedTotal: 190, backlog: 5 }));
    const { arrivals, measured } = recorder.trace();
    expect(arrivals).toEqual([30, 30, 30, 30]);
    expect(measured?.backlog).toEqual([50_000, null, null, 5]);
    expect(measured?.workers).toEqual([24, null, null, 24]);
  });

  it("writes down what workers and machine are like, and is a trace", () => {
    const recorder = new Recorder(10);
    recorder.look(seen({ publishedTotal: 100 }));
    const trace = recorder.trace();
    expect(trace.facts).toEqual({
      service_sec: 0.125,
      worker_bytes: 512 * 1024 ** 2,
      memory_bytes: 16 * 1024 ** 3,
      other_bytes: 2 * 1024 ** 3,
    });
    expect(parseTrace(formatTrace(trace), { intervalSec: 10 })).toEqual(trace);
  });
});
