/** A daemon whose configuration changes while it runs. */
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StatusReply } from "../../src/report/api-types.ts";
import type { Ended } from "../support/built-command.ts";
import { type DaemonProcess, type DaemonSetup, daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { isAlive } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { waitFor } from "../support/wait-for.ts";

/** Nobody can be asked for work, so the floor is what there is. */
const ABOVE = `
metrics_addr = "127.0.0.1:0"
poll_interval = "200ms"
queue_connection = "amqp://app:s3cret-word@127.0.0.1:1"
management = false
mode = "threshold"
min_uptime = "0s"
stdout = "null"
stderr = "null"
`;

const program = (name: string, min: number, max: number, lines = 'command = "sleep 1000"'): string =>
  `[[program]]\nqueue_name = "${name}"\nmin_workers = ${min}\nmax_workers = ${max}\n${lines}\n`;

/** Does not heed SIGTERM, and says by a file when it does not. */
const STUBBORN = `command = ${JSON.stringify(`sh -c 'trap "" TERM; touch ready-$$; while :; do sleep 0.1; done'`)}`;

/** As a supervisor starts it: without a terminal. */
async function running(text: string, workers: number): Promise<{ setup: DaemonSetup; daemon: DaemonProcess }> {
  const setup = daemonOn(ABOVE + text);
  const daemon = setup.run();
  await daemon.workersOf(workers);
  return { setup, daemon };
}

const told = (setup: DaemonSetup, ...words: string[]): Promise<Ended> =>
  effiqueue([...words, "--state-dir", join(setup.dir, "state")], { cwd: setup.dir });

const reloads = (daemon: DaemonProcess): unknown[] => daemon.lines("app.config.reloaded");

async function hangUp(daemon: DaemonProcess): Promise<void> {
  const before = reloads(daemon).length;
  daemon.kill("SIGHUP");
  await daemon.waitFor(() => reloads(daemon).length > before, "a reload");
}

/** Pids of the workers of a program that were started and have not ended, by the log. */
function workersOf(daemon: DaemonProcess, name: string): number[] {
  const live = new Set<number>();
  for (const { event, program: of, pid } of daemon.lines()) {
    if (of !== name) continue;
    if (event === "act.worker.spawned" || event === "act.worker.adopted") live.add(Number(pid));
    if (event === "act.worker.exited") live.delete(Number(pid));
  }
  return [...live];
}

const untilReplaced = (daemon: DaemonProcess, old: readonly number[]): Promise<boolean> =>
  daemon.waitFor(() => !workersOf(daemon, "orders").some((pid) => old.includes(pid)), "the end of all old workers");

const statusOf = async (daemon: DaemonProcess): Promise<StatusReply> =>
  (await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply;

describe("DESIGN 7.15: reloading", () => {
  it("touches nobody of an unchanged program, applies limits, starts what is new and drains what is gone", async () => {
    const { setup, daemon } = await running(program("same", 2, 4) + program("more", 1, 4) + program("gone", 1, 2), 4);
    const [same, more, gone] = ["same", "more", "gone"].map((name) => workersOf(daemon, name));
    const startedAt = await daemon.metric("effiqueue_config_last_reload_success_timestamp_seconds");
    writeFileSync(setup.file, ABOVE + program("same", 2, 4) + program("more", 3, 4) + program("new", 2, 2));
    await hangUp(daemon);
    await daemon.waitFor(() => workersOf(daemon, "more").length === 3, "two workers more");
    await daemon.waitFor(() => workersOf(daemon, "new").length === 2, "two new workers");
    await waitFor(() => gone?.some(isAlive) === false);
    expect(workersOf(daemon, "same")).toEqual(same);
    expect(workersOf(daemon, "more").slice(0, 1)).toEqual(more);
    expect(reloads(daemon)).toMatchObject([{ added: "new", changed: "more", removed: "gone", unchanged: "same" }]);
    await until(async () => (await statusOf(daemon)).programs.length === 3);
    const { programs, reload } = await statusOf(daemon);
    expect(programs.map((each) => [each.program, each.minWorkers])).toEqual([
      ["same", 2],
      ["more", 3],
      ["new", 2],
    ]);
    expect(reload).toMatchObject({ successful: true, error: null });
    expect(await daemon.metric("effiqueue_config_last_reload_successful")).toBe(1);
    const at = await daemon.metric("effiqueue_config_last_reload_success_timestamp_seconds");
    expect(at).toBeGreaterThan(startedAt ?? Number.POSITIVE_INFINITY);
    const series = (await daemon.metrics()).filter(({ labels }) => labels["program"] === "gone");
    expect(series, "of a program that is gone nothing is told").toEqual([]);
    expect(await daemon.stop()).toBe(0);
    expect(setup.living()).toEqual([]);
  });

  it("refuses a file that is wrong as a whole, says why by exit code 78, and takes the next one", async () => {
    const { setup, daemon } = await running(program("orders", 2, 4), 2);
    const before = workersOf(daemon, "orders");
    writeFileSync(setup.file, ABOVE + program("orders", 5, 4) + program("mail", 1, 2, "comand = 1"));
    const { code, stderr } = await told(setup, "reload");
    expect(code).toBe(78);
    expect(stderr).toMatch(/effiqueue\.toml:\d+: program "orders": min_workers/);
    expect(stderr).toMatch(/effiqueue\.toml:\d+: program "mail": comand: is no key, did you mean command/);
    expect(stderr).toContain("nothing was changed");
    await daemon.logged("app.config.refused");
    expect(await daemon.metric("effiqueue_config_last_reload_successful")).toBe(0);
    expect((await statusOf(daemon)).reload.error).toContain("min_workers");

    const json = JSON.parse((await told(setup, "reload", "--json")).stdout) as Record<string, unknown>;
    expect(json).toMatchObject({
      reloaded: false,
      problems: [expect.any(String), expect.any(String), expect.any(String)],
    });
    expect(workersOf(daemon, "orders")).toEqual(before);

    writeFileSync(setup.file, ABOVE.replace("200ms", "1s") + program("orders", 2, 4));
    const done = await told(setup, "reload");
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(
      /is what runs now\n {2}untouched: orders\n(warning: .*\n)*warning: .*poll_interval: its new value takes a restart/,
    );
    expect(await daemon.metric("effiqueue_config_last_reload_successful")).toBe(1);
    expect(workersOf(daemon, "orders")).toEqual(before);
    expect(daemon.stderr + stderr + done.stdout).not.toContain("s3cret");
  });

  it("refuses a program that another daemon runs, and gives back what it took before", async () => {
    const { setup, daemon } = await running(program("orders", 1, 2), 1);
    const other = daemonOn(ABOVE + program("mail", 1, 2));
    const second = other.run("--state-dir", join(setup.dir, "state"));
    await second.workersOf(1);
    writeFileSync(setup.file, ABOVE + program("orders", 1, 2) + program("new", 1, 1) + program("mail", 1, 2));
    daemon.kill("SIGHUP");
    const refused = await daemon.logged("app.config.refused");
    expect(refused["error"]).toContain('program "mail"');
    expect(daemon.workers()).toHaveLength(1);
    expect(await second.stop()).toBe(0);
    await hangUp(daemon);
    await daemon.workersOf(3);
  });

  it("replaces workers of another command one at a time, each by one that is there before", async () => {
    const { setup, daemon } = await running(program("orders", 3, 4), 3);
    const old = workersOf(daemon, "orders");
    writeFileSync(setup.file, ABOVE + program("orders", 3, 4, 'command = "sleep 2000"'));
    await hangUp(daemon);
    await untilReplaced(daemon, old);
    expect(daemon.lines("act.worker.recycled").map(({ pid, why }) => [pid, why])).toEqual(
      old.map((pid) => [pid, "changed"]),
    );
    let [living, fewest, most] = [0, 9, 0];
    for (const { event } of daemon
      .lines()
      .slice(daemon.lines().findIndex(({ event }) => event === "app.config.reloaded"))) {
      if (event === "app.config.reloaded") living = 3;
      if (event === "act.worker.spawned") living += 1;
      if (event === "act.worker.stop_signalled") living -= 1;
      [fewest, most] = [Math.min(fewest, living), Math.max(most, living)];
    }
    expect([fewest, most]).toEqual([3, 4]);
    expect(await daemon.metric("effiqueue_crashes_total")).toBe(0);
    expect(await daemon.stop()).toBe(0);
  });

  it("keeps the old workers where the new command crashes", async () => {
    const { setup, daemon } = await running(program("orders", 2, 4), 2);
    const old = workersOf(daemon, "orders");
    writeFileSync(setup.file, ABOVE + program("orders", 2, 4, 'command = "false"\nmin_uptime = "1h"'));
    await hangUp(daemon);
    await daemon.logged("act.spawning.backed_off");
    expect(old.every(isAlive)).toBe(true);
    expect(daemon.lines("act.worker.stop_signalled")).toEqual([]);
    writeFileSync(setup.file, ABOVE + program("orders", 2, 4));
    await hangUp(daemon);
    expect(await daemon.stop()).toBe(0);
  });

  it("rolls the workers that it adopts from a daemon of another configuration", async () => {
    const { setup, daemon } = await running(program("orders", 2, 3), 2);
    const old = workersOf(daemon, "orders");
    // By then they are written down.
    await daemon.logged("loop.tick.decided");
    daemon.kill("SIGKILL");
    await daemon.ended;
    writeFileSync(setup.file, ABOVE + program("orders", 2, 3, 'command = "sleep 2000"'));
    const next = setup.run();
    await next.workersOf(2, "act.worker.adopted");
    await untilReplaced(next, old);
    expect(await next.stop()).toBe(0);
  });

  it("ends the drain of a program that a refused file would have taken back", async () => {
    const shared = 'drain_timeout = "3s"\n';
    const stays = program("mail", 1, 1);
    const { setup, daemon } = await running(shared + program("orders", 1, 1, STUBBORN) + stays, 2);
    const [old = 0] = workersOf(daemon, "orders");
    await waitFor(() => existsSync(join(setup.dir, `ready-${old}`)), { what: "the trap" });
    writeFileSync(setup.file, ABOVE + shared + stays);
    await hangUp(daemon);
    await daemon.logged("act.worker.stop_signalled");
    const nobody = program("orders", 1, 1, `${STUBBORN}\nuser = "nobody-of-this-name"`);
    writeFileSync(setup.file, ABOVE + shared + nobody + stays);
    daemon.kill("SIGHUP");
    expect((await daemon.logged("app.config.refused"))["error"]).toContain("nobody-of-this-name");
    await daemon.logged("act.worker.drain_timed_out");
    await waitFor(() => !isAlive(old), { what: "its end" });
  });

  it("takes a program back that still drains: what drains goes on draining, what is needed is new", async () => {
    const away = `[[program]]\nqueue_name = "other"\nmax_workers = 1\ncommand = "sleep 1"\n`;
    const { setup, daemon } = await running(`${program("orders", 1, 2, STUBBORN)}${away}`, 1);
    const [old = 0] = workersOf(daemon, "orders");
    await waitFor(() => existsSync(join(setup.dir, `ready-${old}`)), { what: "the trap" });
    writeFileSync(setup.file, ABOVE + away);
    await hangUp(daemon);
    await daemon.logged("act.worker.stop_signalled");
    writeFileSync(setup.file, ABOVE + program("orders", 1, 2, STUBBORN) + away);
    await hangUp(daemon);
    await daemon.waitFor(() => workersOf(daemon, "orders").length === 2, "a new worker");
    expect(daemon.lines("act.worker.stop_signalled")).toHaveLength(1);
    await until(
      async () => (await statusOf(daemon)).programs.find((each) => each.program === "orders")?.workers?.draining === 1,
    );
    process.kill(old, "SIGKILL");
    await daemon.waitFor(() => workersOf(daemon, "orders").length === 1, "the end of the drain");
  });

  it("ends well at SIGTERM during a reload", async () => {
    const { setup, daemon } = await running(program("orders", 2, 4), 2);
    // Accepts and never answers, so that the reload waits for its queue.
    const server = createServer(() => undefined).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const connected = once(server, "connection");
    const hanging = `queue_connection = "amqp://127.0.0.1:${(server.address() as AddressInfo).port}"\ncommand = "sleep 1000"`;
    writeFileSync(setup.file, ABOVE + program("orders", 2, 4) + program("new", 2, 4, hanging));
    daemon.kill("SIGHUP");
    await connected;
    expect(await daemon.stop()).toBe(0);
    expect(daemon.lines("app.config.refused")).toMatchObject([{ error: "the daemon stops" }]);
    expect(daemon.workers()).toHaveLength(2);
    expect(setup.living()).toEqual([]);
  });

  it("masks a password that came with a reload", async () => {
    const { setup, daemon } = await running(program("orders", 1, 2), 1);
    writeFileSync(
      setup.file,
      ABOVE.replace("s3cret-word", "0ther-w0rd") + program("orders", 1, 2) + program("0ther-w0rd", 1, 2),
    );
    await hangUp(daemon);
    await daemon.workersOf(2);
    expect(await daemon.stop()).toBe(0);
    expect(daemon.stderr).not.toContain("0ther-w0rd");
  });
});
