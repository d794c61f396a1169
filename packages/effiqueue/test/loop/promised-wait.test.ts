/** A promised wait whose queue does not tell ages is said, once, and not before it is sure. */
import type { QueueReading } from "effiqueue";
import { describe, expect, it } from "vitest";
import { readable } from "./fakes.ts";
import { GB, loopOf, sloProgram } from "./slo-programs.ts";

async function saidAfter(readings: readonly QueueReading[], promise: object): Promise<unknown[]> {
  const program = sloProgram("mail", { sloDrainTime: undefined, ...promise });
  const { loop, clock, reporter } = loopOf([program], { ramBudgetBytes: GB });
  for (const reading of readings) {
    program.source.answer = () => readable(reading);
    await loop.tick("mail");
    clock.nowMs += 10_000;
  }
  return reporter.of("observe.queue.age_invisible");
}

const EMPTY: QueueReading = { ready: 0, unacked: 0 };
const AGELESS: QueueReading = { ready: 5, unacked: 0 };
const AGED: QueueReading = { ready: 5, unacked: 0, oldestAgeSec: 3 };

describe("DESIGN 7.2: a queue that does not tell the age of its oldest message", () => {
  it.each([
    { note: "has nothing to tell while it is empty", readings: [EMPTY, EMPTY, EMPTY, EMPTY], said: 0 },
    { note: "may do so when the statistics have come", readings: [AGELESS, AGELESS, AGED, AGELESS, AGELESS], said: 0 },
    { note: "is one after 15 s with work", readings: [AGELESS, EMPTY, AGELESS, AGELESS], said: 1 },
    { note: "is named once", readings: Array<QueueReading>(9).fill(AGELESS), said: 1 },
  ])("$note", async ({ readings, said }) => {
    const events = await saidAfter(readings, { sloWaitTime: "20s" });
    expect(events).toEqual(Array(said).fill({ program: "mail", slo_sec: 20 }));
  });

  it("is no matter to a drain time", async () => {
    expect(await saidAfter([AGELESS, AGELESS, AGELESS, AGELESS], { sloDrainTime: "20s" })).toEqual([]);
  });
});
