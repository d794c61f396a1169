/** A broker that comes and goes, and a name that nobody resolves: the pool stays, and nothing is left open behind. */
import { createSocket } from "node:dgram";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeBroker, testVhost } from "../support/broker.ts";
import { rage } from "../support/chaos.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { mayMount } from "../support/mount.ts";
import { isAlive } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

/** Of the scene that the benchmark goes on with for five minutes: a flap takes two. */
const SECONDS = 16;

const ticks = (daemon: DaemonProcess): number => daemon.lines("loop.tick.decided").length;

const config = (connection: string, more = ""): string => `command = "sleep 600"
queue_connection = "${connection}"
queue_name = "work"
min_workers = 2
max_workers = 2
slo_drain_time = "30s"
poll_interval = "250ms"
metrics_addr = "127.0.0.1:0"
${more}`;

describeBroker("DESIGN 7.1: a broker that flaps", () => {
  it("costs no worker, no connection that stays, and two lines a change at most", { timeout: 240_000 }, async () => {
    const vhost = await testVhost();
    await vhost.declare("work");
    const env = { CHAOS_AMQP_URL: vhost.amqpUrl, CHAOS_MANAGEMENT_URL: vhost.managementUrl };
    const { code, output } = await rage("flapping", SECONDS, env);
    expect(code, output).toBe(0);
    expect(output).toMatch(/"flaps":[1-9]/);
  });
});

describe("DESIGN 7.4: a name that does not resolve", () => {
  it("is said, and the floor is kept", async () => {
    const daemon = daemonOn(config("amqp://guest:guest@broker.invalid/%2F")).run();
    const pids = await daemon.workersOf(2);
    const { error } = await daemon.logged("observe.queue.unreadable");
    expect(error).toMatch(/cannot reach amqp:\/\/broker\.invalid:5672: (ENOTFOUND|EAI_AGAIN)/);
    expect(pids.every(isAlive)).toBe(true);
    expect(await daemon.stop()).toBe(0);
  });

  it.runIf(mayMount)("holds up neither the ticks nor the end when the name server is silent", async () => {
    // Loopback is a whole network: an address of our own has a port 53 of its own.
    const address = `127.${process.pid % 200}.${process.pid >> 8}.53`;
    const silent = createSocket("udp4");
    await new Promise<void>((resolve) => silent.bind(53, address, resolve));
    onTestFinished(() => void silent.close());
    let asked = 0;
    silent.on("message", () => asked++);
    const { dir, living, runThrough } = daemonOn(
      config("amqp://guest:guest@broker.example.com/%2F", 'drain_timeout = "5s"\n'),
    );
    const resolver = join(dir, "resolv.conf");
    writeFileSync(resolver, `nameserver ${address}\noptions timeout:4 attempts:1\n`);
    const bound = 'mount --bind "$0" /etc/resolv.conf && exec "$@"';
    const daemon = runThrough(["env", "EFFIQUEUE_LOG=debug", "unshare", "--mount", "sh", "-c", bound, resolver]);
    await daemon.workersOf(2);
    const { error } = await daemon.logged("observe.queue.unreadable");
    expect(error).toContain("does not answer in time");
    expect(asked).toBeGreaterThan(0);
    const from = ticks(daemon);
    await daemon.waitFor(() => ticks(daemon) >= from + 2, "ticks without an answer");
    daemon.kill("SIGTERM");
    await daemon.logged("app.daemon.stopped");
    expect(daemon.lines("act.worker.drain_timed_out")).toEqual([]);
    // The process itself ends when the resolver of the system gives up, which nothing can hurry.
    expect((await daemon.ended).code).toBe(0);
    await waitFor(() => living().length === 0);
  });
});
