import { describe, expect, it } from "vitest";
import { Notifier } from "../../../src/app/service-manager/notifier.ts";
import { statusLine } from "../../../src/app/service-manager/status-line.ts";
import { takeNotifyTarget } from "../../../src/app/service-manager/target.ts";
import type { ProgramStatus, StatusReply } from "../../../src/report/api-types.ts";
import { FakeClock } from "../../loop/fakes.ts";

const program = (name: string, more: Partial<ProgramStatus> = {}): ProgramStatus =>
  ({
    program: name,
    state: "running",
    workers: { current: 3, starting: 0, serving: 3, draining: 0 },
    decision: { gap: null, boundBy: "ram" },
    ...more,
  }) as ProgramStatus;

function setup(watchdogMs: number | null = null) {
  const clock = new FakeClock();
  const sent: Readonly<Record<string, string>>[] = [];
  let programs = [program("mail"), program("video")];
  let looks = 0;
  const notifier = new Notifier({
    send: (message) => sent.push(message),
    status: () => {
      looks += 1;
      return { programs } as unknown as StatusReply;
    },
    clock,
    watchdogMs,
  });
  return {
    notifier,
    sent,
    /** Ticks so much later. */
    tick: (name: string, afterMs = 0) => {
      clock.nowMs += afterMs;
      notifier.ticked({ program: name });
      return sent.splice(0);
    },
    become: (...next: ProgramStatus[]) => (programs = next),
    looks: () => looks,
  };
}

describe("DESIGN 7.17: what systemd is told", () => {
  it("is that the daemon is ready when every program has ticked once, and no more", () => {
    const { tick } = setup();
    expect(tick("mail")).toEqual([{ STATUS: "mail: 3 workers; video: 3 workers" }]);
    expect(tick("mail")).toEqual([]);
    expect(tick("video")).toEqual([{ READY: "1" }]);
    expect(tick("video", 60_000)).toEqual([]);
  });

  it("does not wait for a program that another process has", () => {
    const { tick, become } = setup();
    become(program("mail"), program("video", { state: "lost" }));
    expect(tick("mail")).toEqual([{ READY: "1", STATUS: "mail: 3 workers; video: lost" }]);
  });

  it("is the state when it has changed, at most each ten seconds", () => {
    const { tick, become } = setup();
    tick("mail");
    tick("video");
    become(program("mail", { state: "unreadable" }), program("video"));
    expect(tick("mail", 9_000)).toEqual([]);
    expect(tick("mail", 1_000)).toEqual([{ STATUS: "mail: 3 workers, the queue cannot be read; video: 3 workers" }]);
    expect(tick("mail", 60_000)).toEqual([]);
  });

  it("takes no look at all programs whenever one of them has ticked", () => {
    const { tick, looks } = setup();
    tick("mail");
    tick("video");
    const before = looks();
    for (let i = 0; i < 50; i += 1) tick("mail", 1_000);
    expect(looks() - before).toBe(5);
  });

  it("is a sign of life each third of the time, while every program ticks", () => {
    const { tick } = setup(30_000);
    tick("mail");
    expect(tick("video")).toEqual([{ READY: "1", WATCHDOG: "1" }]);
    expect(tick("mail", 9_000)).toEqual([]);
    expect(tick("video")).toEqual([]);
    expect(tick("video", 1_000)).toEqual([{ WATCHDOG: "1" }]);
    // One of the two hangs: nothing is said for it.
    for (let i = 0; i < 10; i += 1) expect(tick("mail", 10_000)).toEqual([]);
    expect(tick("video")).toEqual([{ WATCHDOG: "1" }]);
  });

  it.each(["app.config.reloaded", "app.config.refused"] as const)(
    "is that it reads its file again, until %s",
    (end) => {
      const { notifier, sent } = setup();
      notifier.emit("app.config.reloading", { config: "f" });
      expect(sent.splice(0)).toEqual([{ RELOADING: "1", MONOTONIC_USEC: expect.stringMatching(/^\d+$/) as string }]);
      notifier.emit(end, {} as never);
      expect(sent).toEqual([{ READY: "1" }]);
    },
  );

  it("is that it stops, and nothing after it", () => {
    const { tick, notifier, sent } = setup(1_000);
    tick("mail");
    notifier.emit("app.daemon.stopping", { signal: "SIGTERM" });
    expect(sent.splice(0)).toEqual([{ STOPPING: "1", STATUS: "workers drain" }]);
    expect(tick("video", 60_000)).toEqual([]);
  });
});

describe("DESIGN 7.17: the state in one line", () => {
  it("has workers, and what is missing", () => {
    const programs = [
      program("mail", { workers: { current: 1, starting: 0, serving: 1, draining: 0 } }),
      program("video", { decision: { gap: { workers: 54 }, boundBy: "ram" } as unknown as ProgramStatus["decision"] }),
      program("new", { state: "starting", workers: null, decision: null }),
    ];
    expect(statusLine({ programs } as unknown as StatusReply)).toBe(
      "mail: 1 worker; video: 3 workers, 54 missing (ram); new: starting",
    );
  });
});

describe("DESIGN 7.17: where systemd listens", () => {
  it("is taken out of the environment, so that no worker answers for the daemon", () => {
    const env: NodeJS.ProcessEnv = { NOTIFY_SOCKET: "/run/n", WATCHDOG_USEC: "30000000", WATCHDOG_PID: "7", HOME: "/" };
    expect(takeNotifyTarget(env, 7)).toEqual({ socket: "/run/n", watchdogMs: 30_000 });
    expect(env).toEqual({ HOME: "/" });
    expect(takeNotifyTarget(env, 7)).toBeNull();
  });

  it.each<[string, NodeJS.ProcessEnv, number | null]>([
    ["no watchdog", {}, null],
    ["another's watchdog", { WATCHDOG_USEC: "30000000", WATCHDOG_PID: "8" }, null],
    ["whoever's", { WATCHDOG_USEC: "30000000" }, 30_000],
    ["nonsense", { WATCHDOG_USEC: "soon" }, null],
    ["none", { WATCHDOG_USEC: "0" }, null],
  ])("with %s", (_, variables, watchdogMs) => {
    expect(takeNotifyTarget({ NOTIFY_SOCKET: "@n", ...variables }, 7)).toEqual({ socket: "@n", watchdogMs });
  });
});
