/** Real workers that leak, their memory as the kernel tells it, on a machine that is too small for them. */
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { programConfig, programPolicy } from "effiqueue/decide";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/loop/clock.ts";
import { ControlLoop } from "../../src/loop/control-loop.ts";
import type { Clock } from "../../src/model/ports.ts";
import { hostMemoryProbe } from "../../src/observe/host/index.ts";
import { monotonicMs } from "../../src/units.ts";
import { openTestPool } from "../support/pool.ts";
import { waitFor } from "../support/wait-for.ts";

const TICK_MS = 60_000;

/** Takes so much more at each SIGUSR2, and does not give it back. */
const LEAK_BYTES = 3 * 1024 ** 2;
const LEAKING = `
import signal
kept = []
signal.signal(signal.SIGUSR2, lambda *_: kept.append(b"x" * ${LEAK_BYTES}))
while True: signal.pause()
`;

/** The clock of the system, with a minute more before each tick: waiting is as short as ever. */
class HastyClock implements Clock {
  #aheadMs = 0;
  monotonicMs = () => monotonicMs(systemClock.monotonicMs() + this.#aheadMs);
  wallMs = () => systemClock.wallMs();
  after: Clock["after"] = (delayMs, callback, options) => systemClock.after(delayMs, callback, options);
  hasten(ms: number): void {
    this.#aheadMs += ms;
  }
}

const rssBytes = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096;

/** Whether it has set its handler: before that the signal would be its end. */
function catches(pid: number, signal: number): boolean {
  const mask = /^SigCgt:\t([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1] ?? "0";
  return ((BigInt(`0x${mask}`) >> BigInt(signal - 1)) & 1n) === 1n;
}

async function leak(pid: number): Promise<void> {
  await waitFor(() => catches(pid, constants.signals.SIGUSR2), { what: `worker ${pid} has begun` });
  const bytes = rssBytes(pid);
  process.kill(pid, "SIGUSR2");
  await waitFor(() => rssBytes(pid) > bytes + LEAK_BYTES / 2, { what: `worker ${pid} leaks` });
}

describe("DESIGN 4.13: workers that leak", () => {
  it("are replaced one at a time, though nobody has said how large they may be", async () => {
    const clock = new HastyClock();
    const command = { file: "/usr/bin/python3", args: ["-c", LEAKING] };
    const { pool, events, pids } = openTestPool({ clock, command });
    // Three run whatever they take, and there is work and no memory for more.
    const options = { command: "worker", queueConnection: "amqp://localhost", queueName: "q", mode: "hpa" };
    const policy = programPolicy(programConfig({ ...options, minWorkers: 3, maxWorkers: 8, ramBudget: "20MB" }));
    const queue = { ready: 500, unacked: 0 };
    const source = { read: () => Promise.resolve({ kind: "ok" as const, value: queue, at: clock.monotonicMs() }) };
    const loop = new ControlLoop({
      programs: [{ program: "test", source, pool, policy }],
      clock,
      reporter: events,
      memory: hostMemoryProbe(),
      pollIntervalMs: 10_000,
    });
    const recycled = () => events.of("act.worker.recycled");
    const gone = () => events.of("act.worker.exited");

    await loop.tick("test");
    const first = pids();
    for (let minute = 0; minute < 60 && recycled().length < 3; minute += 1) {
      for (const pid of pids()) await leak(pid);
      clock.hasten(TICK_MS);
      await loop.tick("test");
      await waitFor(() => gone().length === recycled().length, { what: "who was told to go has gone" });
      expect(pids().length).toBeGreaterThanOrEqual(2);
    }

    expect(
      recycled()
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual(first.toSorted());
    for (const { why, value, limit } of recycled()) {
      expect(why).toBe("outgrown");
      expect(value).toBeGreaterThanOrEqual(limit ?? Number.NaN);
    }
    expect(gone().map(({ kind }) => kind)).toEqual(["stopped", "stopped", "stopped"]);
    expect(events.of("decide.workers.outgrown")).toHaveLength(1);
    expect(events.names("act.spawning")).toEqual([]);
  }, 60_000);
});
