/** Programs of a real daemon that are told what to do by the commands that an operator has. */
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { StatusReply } from "../../src/report/api-types.ts";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { isAlive } from "../support/processes.ts";
import { quietConfig, runningDaemon, told } from "../support/quiet-daemon.ts";
import { until } from "../support/until.ts";

const QUIET = quietConfig(`metrics_addr = "127.0.0.1:0"\nmin_uptime = "0s"`);

const DEBUG = ["--log-level", "debug"];

const running = (config = QUIET, workers = 3) => runningDaemon(daemonOn(config), { workers, flags: DEBUG });

async function statusOf(daemon: DaemonProcess, program = "orders") {
  const reply = (await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply;
  const status = reply.programs.find((each) => each.program === program);
  if (status === undefined) throw new Error(`no ${program}`);
  return status;
}

const workersOf = async (daemon: DaemonProcess, program?: string): Promise<number | undefined> =>
  (await statusOf(daemon, program)).workers?.current;

const kindsOf = async (daemon: DaemonProcess, program: string) =>
  (await daemon.metrics())
    .filter(({ name, labels }) => name === "effiqueue_override_active" && labels["program"] === program)
    .map(({ labels }) => labels["kind"]);

/** So many more decisions of a program, whatever they are. */
async function ticks(daemon: DaemonProcess, count: number, program = "orders"): Promise<void> {
  const decided = (): number => daemon.lines("loop.tick.decided").filter((line) => line["program"] === program).length;
  const from = decided();
  await daemon.waitFor(() => decided() >= from + count, `${count} ticks of ${program}`);
}

const WRONG: readonly (readonly [words: readonly string[], code: number, said: RegExp])[] = [
  [["scale", "orders", "7"], 1, /orders: max_workers is 6; set it to at most that, or raise max_workers first/],
  [["scale", "order", "3"], 1, /no program "order", did you mean "orders"\?/],
  [["pause", "both", "mial"], 1, /no program "mial", did you mean "mail"\?/],
  [["scale", "orders", "many"], 64, /Expected a whole number of at least 0/],
  [["scale", "orders", "1.5"], 64, /Expected a whole number of at least 0/],
  [["scale", "orders"], 64, /missing required argument 'workers'/],
  [["drain"], 64, /missing required argument 'program'/],
  [["pause", "--for", "0s"], 64, /Expected a duration > 0/],
  [["pause", "--for", "soon"], 64, /Expected a duration > 0/],
  [["puase"], 64, /Did you mean pause/],
];

describe("DESIGN 7.13: told by hand", () => {
  it("scales one program at once, and shows it as the reason everywhere", async () => {
    const { setup, daemon } = await running();
    const scaled = await told(setup, "scale", "orders", "5");
    expect(scaled).toMatchObject({ code: 0, stdout: "orders: set to 5 workers, until it is resumed\n", stderr: "" });
    await until(async () => (await workersOf(daemon)) === 5);
    const { decision, override } = await statusOf(daemon);
    expect(override).toMatchObject({ kind: "scale", workers: 5, until: null });
    expect(decision).toMatchObject({ desiredWorkers: 5, reason: "scaled" });
    expect(await workersOf(daemon, "mail")).toBe(1);
    expect([await kindsOf(daemon, "orders"), await kindsOf(daemon, "mail")]).toEqual([["scale"], []]);

    const url = ["--url", await daemon.url()];
    const explained = await effiqueue(["explain", "orders", ...url], { cwd: setup.dir });
    expect(explained.stdout).toMatch(/By hand, since .*: set to 5 workers, until it is resumed\./);
    expect(explained.stdout).toContain("The pool is set to 5 workers by hand.");
    const top = await effiqueue(["top", "orders", "--once", ...url], { cwd: setup.dir });
    expect(top.stdout).toMatch(/By hand, since .* set to 5 workers/);
    expect(top.stdout).toMatch(/scaled +The pool is set to 5 workers by hand/);
    expect((await told(setup, "status")).stdout).toMatch(/^orders .* scale 5$/m);

    expect(await told(setup, "resume", "orders")).toMatchObject({ stdout: "orders: follows its queue again\n" });
    expect(await told(setup, "resume", "orders")).toMatchObject({ code: 0, stdout: "orders: had nothing to resume\n" });
    expect((await statusOf(daemon)).override).toBe(null);
  });

  it("ends by itself when its time is over", async () => {
    const { setup, daemon } = await running();
    const reply = await told(setup, "drain", "orders", "--for", "1500ms", "--json");
    expect(JSON.parse(reply.stdout)).toMatchObject({
      apiVersion: 1,
      said: [expect.stringMatching(/^orders: drained/)],
    });
    await daemon.waitFor(() => daemon.lines("loop.override.ended").length === 1, "the end");
    expect(daemon.lines("loop.override.ended")).toMatchObject([{ override: "drain", why: "expired" }]);
    await until(async () => (await workersOf(daemon)) === 2);
    const exits = daemon.lines("act.worker.exited");
    expect(exits.map(({ kind }) => kind)).toEqual(["stopped", "stopped"]);
  });

  it("drains a program to nothing, and leaves it so until it is resumed", async () => {
    const { setup, daemon } = await running();
    const before = daemon.lines("act.worker.spawned").filter((line) => line["program"] === "orders");
    expect((await told(setup, "drain", "orders")).code).toBe(0);
    await daemon.waitFor(() => daemon.lines("act.worker.exited").length === 2, "both exits");
    expect(before.some(({ pid }) => isAlive(Number(pid)))).toBe(false);
    await ticks(daemon, 3);
    expect(await statusOf(daemon)).toMatchObject({ workers: { current: 0 }, decision: { reason: "drained" } });
    await told(setup, "resume");
    await until(async () => (await workersOf(daemon)) === 2);
  });

  it("restarts the workers of a program one after the other, and counts no crash", async () => {
    const { setup, daemon } = await running();
    await told(setup, "scale", "orders", "4");
    const spawned = (): number[] =>
      daemon.lines("act.worker.spawned").flatMap(({ program, pid }) => (program === "orders" ? Number(pid) : []));
    await daemon.waitFor(() => spawned().length === 4, "four workers");
    await until(async () => (await workersOf(daemon)) === 4);
    const before = spawned();
    expect(await told(setup, "restart", "orders")).toMatchObject({
      stdout: "orders: replaces 4 of its workers, one after the other\n",
    });
    await daemon.logged("loop.restart.ended");
    await until(async () => (await workersOf(daemon)) === 4 && !before.some(isAlive));
    expect(daemon.lines("loop.restart.ended")).toMatchObject([{ program: "orders", why: "done" }]);
    expect(new Set(daemon.lines("act.worker.recycled").map(({ pid }) => pid))).toEqual(new Set(before));
    expect(spawned()).toHaveLength(8);
    expect(fewestAtWork(daemon, before)).toBeGreaterThanOrEqual(3);
    expect(new Set(daemon.lines("act.worker.exited").map(({ kind }) => kind))).toEqual(new Set(["stopped"]));
    const status = await statusOf(daemon);
    expect(status).toMatchObject({ restart: null, totals: { crashes: 0, recycled: { restart: 4 } } });
  });

  it("refuses what cannot be done, names what would be right, and changes nothing", async () => {
    const { setup, daemon } = await running();
    for (const [words, code, said] of WRONG) {
      expect(await told(setup, ...words)).toMatchObject({
        code,
        stdout: "",
        stderr: expect.stringMatching(said) as string,
      });
    }
    expect(daemon.lines("loop.override.started")).toEqual([]);
  });

  it("holds over a reload, up to the ceiling that is new", async () => {
    const { setup, daemon } = await running();
    await told(setup, "scale", "orders", "4");
    await until(async () => (await workersOf(daemon)) === 4);
    writeFileSync(setup.file, QUIET.replace("max_workers = 6", "max_workers = 8"));
    expect((await told(setup, "reload")).code).toBe(0);
    await ticks(daemon, 2);
    expect(await statusOf(daemon)).toMatchObject({ override: { workers: 4 }, workers: { current: 4 }, maxWorkers: 8 });
    expect((await told(setup, "scale", "orders", "8")).code).toBe(0);
    expect((await told(setup, "scale", "orders", "9")).stderr).toContain("max_workers is 8");
    await until(async () => (await workersOf(daemon)) === 8);
  });

  it("forgets everything with the daemon", async () => {
    const { setup, daemon } = await running();
    await told(setup, "scale", "orders", "4");
    await until(async () => (await workersOf(daemon)) === 4);
    daemon.kill("SIGKILL");
    await daemon.ended;
    const next = setup.run(...DEBUG);
    await next.workersOf(5, "act.worker.adopted");
    await ticks(next, 1);
    expect(await statusOf(next)).toMatchObject({ override: null });
  });

  it("takes commands while others send nothing, half of something, or far too much", async () => {
    const { setup, daemon } = await running();
    const path = join(setup.dir, "state", "orders", "control.sock");
    const post = (length: number): string =>
      `POST /control/pause HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`;
    const sends = [
      "",
      "POST /control/pa",
      `${post(100)}{"direc`,
      post(90_000) + "x".repeat(90_000),
      "\0".repeat(9_000),
    ];
    for (const text of [...sends, ...sends, ...sends]) {
      const socket = connect(path, () => socket.write(text));
      socket.on("error", () => undefined).resume();
      onTestFinished(() => void socket.destroy());
    }
    expect((await told(setup, "pause", "orders")).stdout).toMatch(/^orders: paused, so the pool stays at 2 workers/);
    await ticks(daemon, 2);
    expect((await statusOf(daemon)).override).toMatchObject({ kind: "pause", workers: 2 });
    expect(daemon.lines("loop.override.started")).toHaveLength(1);
  });
});

/** Of the old and the new together, from the restart on. */
function fewestAtWork(daemon: DaemonProcess, before: readonly number[]): number {
  const atWork = new Set<unknown>(before);
  let fewest = atWork.size;
  const lines = daemon.lines();
  for (const { event, program, pid } of lines.slice(lines.findIndex((each) => each.event === "loop.restart.started"))) {
    if (program !== "orders") continue;
    if (event === "act.worker.spawned") atWork.add(pid);
    if (event === "act.worker.recycled" || event === "act.worker.exited") atWork.delete(pid);
    fewest = Math.min(fewest, atWork.size);
  }
  return fewest;
}

describeBroker("DESIGN 7.13: a pause, on RabbitMQ", () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await testVhost();
  });

  it("keeps the pool from growing, then from shrinking, then follows the queue again", {
    timeout: 120_000,
  }, async () => {
    await vhost.declare("orders");
    const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue: "orders", ms: 100, language: "node" });
    const { setup, daemon } = await running(
      `
command = "${[file, ...args].join(" ")}"
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
queue_name = "orders"
mode = "threshold"
min_uptime = "0s"
depth_threshold = 0
cooldown_ticks = 0
min_workers = 1
max_workers = 4
poll_interval = "300ms"
metrics_addr = "127.0.0.1:0"
`,
      1,
    );
    expect((await told(setup, "pause", "out")).stdout).toMatch(/^orders: scaling out is paused/);
    await vhost.publish("orders", 300);
    await until(async () => (await statusOf(daemon)).decision?.reason === "paused");
    await ticks(daemon, 4);
    expect(await workersOf(daemon)).toBe(1);

    expect((await told(setup, "pause", "in", "orders")).stdout).toMatch(/^orders: scaling in is paused/);
    await until(async () => (await workersOf(daemon)) === 4);
    await until(async () => (await vhost.depth("orders")) === 0, 60_000);
    await until(async () => (await statusOf(daemon)).decision?.reason === "paused");
    await ticks(daemon, 4);
    expect(await workersOf(daemon)).toBe(4);

    await told(setup, "resume");
    await until(async () => (await workersOf(daemon)) === 1);
    await daemon.waitFor(() => daemon.lines("act.worker.exited").length === 3, "three exits");
    expect(new Set(daemon.lines("act.worker.exited").map(({ kind }) => kind))).toEqual(new Set(["stopped"]));
  });
});
