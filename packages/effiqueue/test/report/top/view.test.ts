import { describe, expect, it } from "vitest";
import type { DecisionEntry } from "../../../src/report/api-types.ts";
import { type PastTick, pastOf, remembered } from "../../../src/report/top/history.ts";
import { programView } from "../../../src/report/top/view.ts";
import { decided, MAIL, ORDERS, RECORD, testBoard, UNREAD } from "../records.ts";
import { seen, seenAfter } from "./moments.ts";

describe("DESIGN 6.8: what the screen says of a program", () => {
  it("is the gap with what closes it", async () => {
    const { views } = await seenAfter(testBoard(), [RECORD]);
    expect(views[0]?.gap).toEqual({
      missing: "78 workers are needed, 24 fit (ram): 54 are missing, which is 27 GiB.",
      drain: "The queue can never be emptied here: 24 workers finish 192/s and 200/s arrive.",
      remedy:
        "add memory (27 GiB); a looser slo_drain_time only narrows it: 26 workers would just keep up with what arrives",
    });
  });

  it("is the SLO that this machine can keep, where there is one", async () => {
    const gap = { workers: 1, bytes: 1024 ** 3, bestDrainSec: 133.2 };
    const { views } = await seenAfter(testBoard(), [decided({ needed: 25, gap, boundBy: "max_workers" })]);
    expect(views[0]?.gap?.drain).toBe("With all of them it empties in 134 s at best, not in 120 s.");
    expect(views[0]?.gap?.remedy).toBe(
      "raise max_workers to 25 (1 GiB more memory), or loosen slo_drain_time to 134 s",
    );
  });

  it("names the promise that was made, of a wait as of a drain", async () => {
    const waiting = { ...ORDERS, sloGoal: "wait" as const };
    const gap = { workers: 1, bytes: null, bestDrainSec: 133.2 };
    const { views } = await seenAfter(testBoard([waiting]), [decided({ needed: 25, gap })]);
    expect(views[0]).toMatchObject({ sloGoal: "wait", sloSec: 120 });
    expect(views[0]?.gap?.drain).toContain("134 s at best, and no message is to wait longer than 120 s.");
    expect(views[0]?.gap?.remedy).toContain("or loosen slo_wait_time to 134 s");
  });

  it.each(["cpu", "downstream"] as const)("is that more memory will not help where %s binds", async (boundBy) => {
    const { views } = await seenAfter(testBoard(), [decided({ boundBy })]);
    expect(views[0]?.gap?.remedy).toContain("more memory will not help");
    expect(views[0]?.gap?.missing).toContain(`workers would do, but more than 24 get no more done (${boundBy}).`);
  });

  it("is no gap where none is", async () => {
    const { views } = await seenAfter(testBoard([MAIL]), [{ ...decided({ gap: null }), program: "mail" }]);
    expect(views[0]?.gap).toBeNull();
  });

  it("is what is wrong: an unreadable queue, a crash loop, a probe, a loop that hangs", async () => {
    const troubles = async (...ticks: (typeof RECORD)[]): Promise<string> =>
      (await seenAfter(testBoard(), ticks)).views[0]?.troubles.join(" ") ?? "";
    expect(await troubles(RECORD)).toBe("");
    expect(await troubles(RECORD, UNREAD)).toContain("The queue could not be read for 10 s: nobody listens");
    expect(await troubles({ ...RECORD, backoffSec: 8 })).toContain("no more are started for 8 s");
    expect(await troubles(decided({ probing: true }))).toContain("A probe");
    const onBoard = testBoard();
    await seenAfter(onBoard, [RECORD]);
    onBoard.clock.advance(61_000);
    expect((await seen(onBoard)).views[0]?.troubles).toEqual([
      "No tick for 61 s: the control loop hangs; /healthz says so too.",
    ]);
  });

  it("is the rationale of a reason that a newer daemon has", () => {
    const { board } = testBoard();
    board.ticked(RECORD);
    const [status] = board.status().programs;
    const [kept] = board.decisions(1);
    if (status === undefined || kept === undefined) throw new Error("no program");
    const decisions = kept.decisions.map((entry) => ({ ...entry, reason: "moon-phase" }) as unknown as DecisionEntry);
    const view = programView(status, decisions, undefined, { pollIntervalSec: 10 });
    expect(view.decisions[0]).toMatchObject({ reason: "moon-phase", why: RECORD.decision.rationale });
  });
});

describe("DESIGN 6.8: the past", () => {
  it("is one sample a tick, however often one looks", async () => {
    const onBoard = testBoard();
    const moment = await seenAfter(onBoard, [RECORD, RECORD]);
    const again = await seen(onBoard, moment.history);
    expect(again.history.get("orders")).toHaveLength(2);
  });

  it("does not grow for ever", async () => {
    const { history, views } = await seenAfter(testBoard(), [RECORD]);
    const [tick] = history.get("orders") ?? [];
    if (tick === undefined) throw new Error("no past");
    const long = new Map([["orders", Array<PastTick>(5_000).fill({ ...tick, at: "before" })]]);
    expect(remembered(long, views).get("orders")?.length).toBeLessThanOrEqual(500);
  });

  it("begins with what the daemon remembers, in the same figures", async () => {
    const onBoard = testBoard();
    const { history } = await seenAfter(onBoard, [RECORD, decided({ mu: 10 }), RECORD]);
    const reply = onBoard.board.history("orders");
    if (reply === undefined) throw new Error("no history");
    // The daemon remembers no ages of messages.
    const lived = history.get("orders")?.map(({ at: _, ...figures }) => ({ ...figures, oldestAgeSec: null }));
    expect(pastOf(reply).map(({ at: _, ...figures }) => figures)).toEqual(lived?.slice(0, -1));
  });
});
