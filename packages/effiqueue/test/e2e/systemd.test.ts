/** The daemon as a service: real messages by the command of systemd, to a socket that stands for it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { daemonOn } from "../support/daemon-process.ts";
import { mayMount } from "../support/mount.ts";
import { hasSystemd, inUnit, notifyListener } from "../support/systemd.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const CONFIG = `
command = "sleep 1000"
poll_interval = "100ms"
queue_connection = "amqp://127.0.0.1:1"
queue_name = "orders"
management = false
mode = "threshold"
min_workers = 1
max_workers = 1
`;

describe.runIf(hasSystemd)("DESIGN 7.17: a service of systemd", () => {
  it("is ready after the first tick, gives signs of life, and says that it stops; its workers say nothing", async () => {
    const { socket, messages } = await notifyListener();
    const watchdog = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "600000" };
    const daemon = daemonOn(CONFIG, "effiqueue.toml", watchdog).run();
    const [worker = 0] = await daemon.workersOf(1);
    await waitFor(() => messages.filter((each) => each["WATCHDOG"] === "1").length >= 3, {
      what: "signs of life",
      timeoutMs: 30_000,
    });
    expect(messages.findIndex((each) => each["READY"] === "1")).toBe(0);
    expect(messages[0]?.["STATUS"]).toBe("orders: 1 worker, the queue cannot be read");
    expect(readFileSync(`/proc/${worker}/environ`, "latin1")).not.toMatch(/NOTIFY_SOCKET|WATCHDOG/);
    expect(await daemon.stop()).toBe(0);
    await waitFor(() => messages.some((each) => each["STOPPING"] === "1"), { what: "the word of the stop" });
    expect(messages.at(-1)).toEqual({ STOPPING: "1", STATUS: "workers drain" });
    expect(daemon.lines("app.service.unreachable")).toEqual([]);
  });

  it("runs on where nobody listens, and says so once", async () => {
    const daemon = daemonOn(CONFIG, "effiqueue.toml", {
      NOTIFY_SOCKET: join(tempDir(), "nobody"),
      WATCHDOG_USEC: "100000",
    }).run();
    await daemon.logged("app.service.unreachable");
    const warnings = daemon.lines("app.config.warned").map(({ text }) => text);
    expect(warnings).toContainEqual(
      expect.stringMatching(/^WatchdogSec is 0\.1 s, and there is a tick every 0\.1 s: /),
    );
    expect(await daemon.stop()).toBe(0);
    expect(daemon.lines("app.service.unreachable")).toHaveLength(1);
  });
});

describe.runIf(mayMount)("DESIGN 7.17: a unit that kills before the drain is over (CASES S9)", () => {
  it("is a warning at the start that says what to write into it", async () => {
    const { through, env } = inUnit("orders.service", "20s");
    const daemon = daemonOn(CONFIG, "effiqueue.toml", env).runThrough(through);
    const warnings = (): unknown[] => daemon.lines("app.config.warned").map(({ text }) => text);
    await daemon.waitFor(() => warnings().some((text) => String(text).startsWith("systemd")), "the warning");
    expect(warnings()).toContain(
      "systemd kills orders.service 20 s after it was told to stop, and its workers may take 30 s to drain; in the unit: TimeoutStopSec=35",
    );
    expect(await daemon.stop()).toBe(0);
  });
});
