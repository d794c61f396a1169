/** Clocks that jump and time that passes without us. */
import { setImmediate as everythingReceived } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { readProcStat } from "../../src/act/platform/identity.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import type { LogLine } from "../support/effiqueue-process.ts";
import { isAlive } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

const CLOCK = fileURLToPath(new URL("../fixtures/clock.mjs", import.meta.url));

const CONFIG = `command = "sleep 600"
queue_connection = "amqp://guest:guest@127.0.0.1:1/%2F"
queue_name = "work"
min_workers = 2
max_workers = 4
slo_drain_time = "30s"
poll_interval = "500ms"
min_uptime = "0s"
`;

const decisions = (daemon: DaemonProcess) => daemon.lines("loop.tick.decided");

const moreTicks = (daemon: DaemonProcess, count: number): Promise<unknown> => {
  const from = decisions(daemon).length;
  return daemon.waitFor(() => decisions(daemon).length >= from + count, `${count} more ticks`);
};

describe("DESIGN 1.2: a clock that is set back an hour, and forward a day", () => {
  it("moves stamps only: ticks keep their pace, workers are left alone, and who dies is replaced at once", async () => {
    const { run } = daemonOn(CONFIG, "effiqueue.toml", { NODE_OPTIONS: `--import ${CLOCK}`, CLOCK_JUMPS: "-1,25" });
    const daemon = run("--log-level", "debug");
    const pids = await daemon.workersOf(2);
    for (let jump = 0; jump < 2; jump += 1) {
      await moreTicks(daemon, 2);
      daemon.kill("SIGUSR2");
      await moreTicks(daemon, 4);
    }
    const stamps = decisions(daemon).map(({ time }) => Date.parse(String(time)));
    const steps = stamps.slice(1).map((stamp, i) => (stamp - (stamps[i] ?? 0)) / 3_600_000);
    expect(steps.filter((hours) => Math.abs(hours) > 0.5).map(Math.round)).toEqual([-1, 25]);
    // What the policy was told has passed is what has passed.
    expect(decisions(daemon).every(({ dt_sec: sec }) => Number(sec) >= 0 && Number(sec) < 600)).toBe(true);
    expect(pids.every(isAlive)).toBe(true);
    expect(daemon.lines("act.worker.stop_signalled")).toEqual([]);

    process.kill(pids[0] ?? 0, "SIGKILL");
    await daemon.workersOf(3);
    expect(await daemon.stop()).toBe(0);
  });
});

describe("DESIGN 2.7: a daemon that was suspended", () => {
  it("goes on with one tick for all that it has missed, and with the same workers", async () => {
    const { living, run } = daemonOn(CONFIG);
    const daemon = run("--log-level", "debug");
    const pids = await daemon.workersOf(2);
    await moreTicks(daemon, 2);
    daemon.kill("SIGSTOP");
    await waitFor(() => readProcStat(daemon.pid)?.state === "T");
    // What it has said before may not have been read yet.
    for (let turns = 0; turns < 3; turns += 1) await everythingReceived();
    const before = decisions(daemon).length;
    const since = performance.now();
    await waitFor(() => performance.now() - since > 3_000);
    // Before it can say anything.
    expect(decisions(daemon)).toHaveLength(before);
    daemon.kill("SIGCONT");
    await moreTicks(daemon, 6);
    // It may have been stopped amid a tick.
    const [amid, ...after] = decisions(daemon).slice(before);
    const toldOf = (line: LogLine | undefined): number => Number(line?.["dt_sec"]);
    const [late, ...next] = toldOf(amid) > 2.5 ? [amid, ...after] : after;
    expect(toldOf(late)).toBeGreaterThan(2.5);
    // The six polls that were missed are not made up for: the time that each tick is told adds up to what has passed.
    const told = next.reduce((sum, line) => sum + toldOf(line), 0);
    expect(told).toBeGreaterThan(0.3 * next.length);
    expect(pids.every(isAlive)).toBe(true);
    expect(daemon.workers()).toEqual(pids);
    expect(await daemon.stop()).toBe(0);
    await waitFor(() => living().length === 0);
  });
});
