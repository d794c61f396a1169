import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EventFields } from "../../src/model/events.ts";
import { redactor } from "../../src/model/redact.ts";
import { logReporter } from "../../src/report/log-reporter.ts";
import { createLogger } from "../../src/report/logger.ts";
import { redactingReporter } from "../../src/report/redacting.ts";
import { Recorder } from "../support/recorder.ts";

type Tick = EventFields["loop.tick.decided"];

const HOLD: Tick = {
  program: "orders",
  pending: 3,
  running: 4,
  current_workers: 4,
  desired_workers: 4,
  draining_workers: 0,
  reason: "steady",
  trail: "",
  rationale: "hold: 7 messages",
  dt_sec: 10,
};

/** Levels of ticks, in order. */
function levelsOf(ticks: readonly Partial<Tick>[], option: "every" | "news" = "news"): unknown[] {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  const logger = createLogger({ name: "effiqueue", level: "debug", destination });
  const reporter = logReporter(logger, { ticks: option });
  for (const tick of ticks) reporter.emit("loop.tick.decided", { ...HOLD, ...tick });
  return lines.map(({ level }) => level);
}

describe("DESIGN 6.2: the ticks that a daemon logs", () => {
  it.each([
    { note: "a pool that stands", ticks: [{}, {}, {}], levels: ["info", "debug", "debug"] },
    {
      note: "other numbers for the same decision",
      ticks: [{}, { pending: 99, rationale: "hold: 103 messages" }],
      levels: ["info", "debug"],
    },
    { note: "another reason", ticks: [{}, { reason: "hysteresis" }, {}], levels: ["info", "info", "info"] },
    {
      note: "growth step by step",
      ticks: [{ desired_workers: 5 }, { current_workers: 5, desired_workers: 6 }],
      levels: ["info", "info"],
    },
    {
      note: "growth that a back-off holds up",
      ticks: [{ desired_workers: 5 }, { desired_workers: 5 }, { desired_workers: 5 }],
      levels: ["info", "debug", "debug"],
    },
    {
      note: "a cooldown that comes and goes while a back-off holds the growth up",
      ticks: [{ desired_workers: 5 }, { desired_workers: 5, reason: "cooldown" }, { desired_workers: 5 }],
      levels: ["info", "debug", "debug"],
    },
    {
      note: "a cooldown that holds another size",
      ticks: [{ desired_workers: 5 }, { reason: "cooldown" }, {}],
      levels: ["info", "info", "info"],
    },
    {
      note: "an outage of hours",
      ticks: Array.from({ length: 5 }, () => ({ pending: null, running: null, reason: "unreadable" })),
      levels: ["info", "debug", "debug", "debug", "debug"],
    },
    {
      note: "two programs that take turns",
      ticks: [{}, { program: "mail", desired_workers: 1 }, {}, { program: "mail", desired_workers: 1 }],
      levels: ["info", "info", "debug", "debug"],
    },
  ])("are at info only when they bring news: $note", ({ ticks, levels }) => {
    expect(levelsOf(ticks)).toEqual(levels);
  });

  it("give a sign of life once an hour", () => {
    const day = Array.from({ length: 24 * 360 }, () => ({}));
    expect(levelsOf(day).filter((level) => level === "info")).toHaveLength(24);
  });

  it("are all at info where one line a tick was promised", () => {
    expect(levelsOf([{}, {}, {}], "every")).toEqual(["info", "info", "info"]);
  });
});

describe("DESIGN 6.2: credentials in what is reported", () => {
  const redact = redactor(["s3cr:et/!"]);

  it("are taken out of every text of an event and of its sentence, and numbers stay", () => {
    const lines: string[] = [];
    const logger = createLogger({ name: "effiqueue", destination: { write: (line) => void lines.push(line) } });
    redactingReporter(logReporter(logger), redact).emit("observe.queue.unreadable", {
      program: "orders",
      error: "connect amqp://app:hunter2@broker/ failed: user app, password s3cr:et/! refused, token=abc",
      for_sec: 12,
    });
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      program: "orders",
      error: "connect amqp://***@broker/ failed: user app, password *** refused, token=***",
      for_sec: 12,
    });
    expect(lines.join("")).not.toMatch(/hunter2|s3cr|abc/);
  });

  it("reach nobody behind the redactor, wherever they stand", () => {
    const around = fc.string();
    fc.assert(
      fc.property(around, around, around, (before, after, program) => {
        const recorder = new Recorder();
        const text = `${before}s3cr:et/!${after}`;
        redactingReporter(recorder, redact).emit("observe.broker.noted", {
          program: `${program}s3cr:et/!`,
          note: text,
        });
        expect(JSON.stringify(recorder.all)).not.toContain("s3cr:et/!");
      }),
    );
  });

  it("leave what is unknown unknown", () => {
    const recorder = new Recorder();
    redactingReporter(recorder, redact).emit("loop.tick.decided", { ...HOLD, pending: null });
    expect(recorder.of("loop.tick.decided")).toEqual([{ ...HOLD, pending: null }]);
  });
});
