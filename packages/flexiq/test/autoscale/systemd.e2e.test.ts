/** The autoscaler as a service: real messages by the command of systemd, to a socket that stands for it. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { mayMount } from "../../../effiqueue/test/support/mount.ts";
import { hasSystemd, inUnit, notifyListener } from "../../../effiqueue/test/support/systemd.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { autoscale, CLI, PATIENCE_MS, place, run, untilWorkers, urlOf } from "./support.ts";

describe.runIf(hasSystemd)("DESIGN 11.10: a service of systemd", () => {
  it("is ready after the first tick, gives signs of life, and says that it stops; its workers say nothing", async () => {
    const { socket, messages } = await notifyListener();
    const where = place();
    const env = { ...where.env, NOTIFY_SOCKET: socket, WATCHDOG_USEC: "600000" };
    const scaler = autoscale({ ...where, env }, "--min-workers", "1");
    const [worker = 0] = await untilWorkers(where, 1);
    await waitFor(() => messages.filter((each) => each["WATCHDOG"] === "1").length >= 3, {
      what: "signs of life",
      timeoutMs: PATIENCE_MS,
    });
    expect(messages[0]).toEqual({ READY: "1", WATCHDOG: "1", STATUS: `${where.app}: 1 worker` });
    expect(scaler.of("loop.tick.decided").length).toBeGreaterThan(0);
    expect(readFileSync(`/proc/${worker}/environ`, "latin1")).not.toMatch(/NOTIFY_SOCKET|WATCHDOG/);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    await waitFor(() => messages.some((each) => each["STOPPING"] === "1"), { what: "the word of the stop" });
    expect(messages.at(-1)).toEqual({ STOPPING: "1", STATUS: "workers drain" });
    expect(scaler.of("app.daemon.stopping")).toMatchObject([{ signal: "SIGTERM" }]);
    expect(scaler.of("app.service.unreachable")).toEqual([]);
  });

  it("is not ready where it is refused, nor while its app loads", async () => {
    const { socket, messages } = await notifyListener();
    const where = place(`if (process.env.HELD) { console.log("loading"); await sleep(3_600_000); }`);
    const first = autoscale(where);
    await untilWorkers(where, 1);
    const env = { ...where.env, NOTIFY_SOCKET: socket };
    expect(await autoscale({ ...where, env }).ended).toBe(69);
    first.child.kill("SIGTERM");
    expect(await first.ended).toBe(0);
    const loading = autoscale({ ...where, env: { ...env, HELD: "1" } });
    await waitFor(() => loading.text() === "loading", { what: "the app", timeoutMs: PATIENCE_MS });
    loading.child.kill("SIGTERM");
    expect(await loading.ended).toBe(0);
    expect(messages).toEqual([]);
  });

  it("serves its figures all the same, and goes on where nobody listens, which it says once", async () => {
    const where = place();
    const env = { ...where.env, NOTIFY_SOCKET: `${where.dir}/nobody`, WATCHDOG_USEC: "100000" };
    const scaler = autoscale({ ...where, env }, "--metrics-addr", "127.0.0.1:0");
    expect((await fetch(`${await urlOf(scaler)}/healthz`)).status).toBe(200);
    await waitFor(() => scaler.of("app.service.unreachable").length > 0, { what: "the word", timeoutMs: PATIENCE_MS });
    expect(scaler.of("app.config.warned").map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining("WatchdogSec is 0.1 s, and there is a tick every 0.1 s"),
    );
    await untilWorkers(where, 1);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(scaler.of("app.service.unreachable")).toHaveLength(1);
  });
});

describe.runIf(mayMount)("DESIGN 11.10: a unit that kills before the drain is over", () => {
  it("is a warning at the start that says what to write into it", async () => {
    const where = place();
    const { through, env } = inUnit("mail.service", "20s");
    const args = [CLI, "autoscale", "--app", where.app, "--drain-timeout", "60"];
    const scaler = run({ ...where, env: { ...where.env, ...env } }, args, through);
    await untilWorkers(where, 1);
    await waitFor(() => scaler.of("app.config.warned").length > 0, { what: "a warning", timeoutMs: PATIENCE_MS });
    expect(scaler.of("app.config.warned").map(({ text }) => text)).toEqual([
      "systemd kills mail.service 20 s after it was told to stop, and its workers may take 60 s to drain; in the unit: TimeoutStopSec=65",
    ]);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });
});
