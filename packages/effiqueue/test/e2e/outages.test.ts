/** What goes wrong around a daemon that runs: the pool stays, the log has a line for each change, and nobody restarts anything. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeBroker, type OwnBroker, startBroker, type TestVhost, vhostOn } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { CREDENTIALS } from "../support/password.ts";
import { isAlive } from "../support/processes.ts";
import { tcpProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";

const POOL = 3;
/** More than the pool works off in a test, however slow the machine. */
const READY = 2_000;

interface Scene {
  readonly daemon: DaemonProcess;
  /** Of a pool that has grown to its ceiling on a backlog. */
  readonly workers: readonly number[];
}

describeBroker("DESIGN 7.4, 8.6: outages under a running daemon", () => {
  let broker: OwnBroker;
  let vhost: TestVhost;

  beforeAll(async () => {
    broker = await startBroker();
    vhost = await vhostOn(broker);
  });
  afterAll(() => broker.stop());

  interface Setting {
    readonly connection?: string;
    readonly management?: string;
    /** Default: workers that outlive any broker, so that only the daemon can end them. */
    readonly command?: string;
  }

  /** Where the queue can be read all the time, workers have to work, or the pool would shrink for their idleness. */
  const consumers = (queue: string): string => {
    const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue, ms: 1_000 });
    return [file, ...args].join(" ");
  };

  async function grown(queue: string, setting: Setting = {}): Promise<Scene> {
    await vhost.declare(queue);
    await vhost.publish(queue, READY);
    const daemon = daemonOn(`
command = "${setting.command ?? "sleep 600"}"
queue_connection = "${setting.connection ?? vhost.amqpUrl}"
management_url = "${setting.management ?? vhost.managementUrl}"
queue_name = "${queue}"
min_workers = 1
max_workers = ${POOL}
min_uptime = "0s"
slo_drain_time = "10s"
poll_interval = "250ms"
cooldown_ticks = 0
metrics_addr = "127.0.0.1:0"
`).run("--log-level", "debug");
    return { daemon, workers: await daemon.workersOf(POOL) };
  }

  const nextTicks = async (daemon: DaemonProcess, count: number): Promise<void> => {
    const before = daemon.lines("loop.tick.decided").length;
    await daemon.waitFor(() => daemon.lines("loop.tick.decided").length >= before + count, `${count} more ticks`);
  };

  const isReadable = (daemon: DaemonProcess) => until(async () => (await daemon.metric("effiqueue_up")) === 1);

  /** The same processes as before; read again, and able to change its mind: without work the pool goes to its floor. */
  async function expectRecovered({ daemon, workers }: Scene, queue: string): Promise<void> {
    await isReadable(daemon);
    expect(workers.every(isAlive)).toBe(true);
    expect(daemon.lines("act.worker.stop_signalled")).toEqual([]);
    await broker.api("DELETE", `/api/queues/${vhost.vhost}/${queue}/contents`);
    await until(async () => (await daemon.metric("effiqueue_workers")) === 1);
    expect(await daemon.stop()).toBe(0);
  }

  it("management API cut and back: read by AMQP meanwhile, two lines", async () => {
    const proxy = await tcpProxy(Number(new URL(broker.managementUrl).port));
    const scene = await grown("cut", {
      management: `http://127.0.0.1:${proxy.port}`,
      command: consumers("cut"),
    });
    const { daemon } = scene;
    // With an unknown mu it would begin to probe.
    await until(async () => (await daemon.metric("effiqueue_mu_source")) === 1);
    const switches = () => daemon.lines("observe.source.switched");
    await proxy.cut();
    await daemon.waitFor(() => switches().length === 1, "the switch to AMQP");
    await nextTicks(daemon, 8);
    expect(await daemon.metric("effiqueue_up")).toBe(1);
    expect(await daemon.metric("effiqueue_backlog_ready")).toBeGreaterThan(0);

    await proxy.mend();
    await daemon.waitFor(() => switches().length === 2, "the switch back");
    await nextTicks(daemon, 4);
    expect(switches()).toMatchObject([{ preferred: false }, { preferred: true }]);
    expect(daemon.lines("observe.queue.unreadable")).toEqual([]);
    await expectRecovered(scene, "cut");
  });

  it("broker killed and back: who dies meanwhile is replaced", { timeout: 120_000 }, async () => {
    const { daemon, workers } = await grown("killed");
    const unreadable = () => daemon.lines("observe.queue.unreadable");
    await broker.kill();
    await daemon.waitFor(() => unreadable().length > 0, "the outage");
    // The connection that breaks and those that are refused are told apart.
    await nextTicks(daemon, 4);
    const said = unreadable().length;
    await nextTicks(daemon, 8);
    expect(unreadable()).toHaveLength(said);
    expect(said).toBeLessThanOrEqual(2);

    const [victim = 0, ...others] = workers;
    process.kill(victim, "SIGKILL");
    const [successor = 0] = (await daemon.workersOf(POOL + 1)).slice(POOL);
    await broker.restart();
    // What a broker was told in its last seconds may die with it, the queue included.
    await vhost.declare("killed");
    await daemon.logged("observe.queue.recovered", 60_000);
    await expectRecovered({ daemon, workers: [...others, successor] }, "killed");
    expect(daemon.lines("observe.queue.recovered")).toHaveLength(1);
    // A line for each cause, and a broker that starts has a few of them.
    const causes = unreadable().map(({ error }) => error);
    expect(causes.filter((cause, i) => cause === causes[i - 1])).toEqual([]);
  });

  it("queue deleted and declared again: two lines", async () => {
    const scene = await grown("deleted");
    const { daemon } = scene;
    await broker.api("DELETE", `/api/queues/${vhost.vhost}/deleted`);
    await daemon.logged("observe.queue.unreadable");
    await nextTicks(daemon, 8);
    expect(scene.workers.every(isAlive)).toBe(true);
    await vhost.declare("deleted");
    await vhost.publish("deleted", READY);
    await daemon.logged("observe.queue.recovered");
    await expectRecovered(scene, "deleted");
    expect(daemon.lines("observe.queue.unreadable")).toMatchObject([
      { error: expect.stringContaining('no queue "deleted"') as string },
    ]);
    expect(daemon.lines("observe.queue.recovered")).toHaveLength(1);
  });

  it("credentials revoked and given back: told as what it is, and the password by nobody", async () => {
    const password = (value: string) => broker.api("PUT", "/api/users/scaler", { password: value, tags: "management" });
    await password("s3cret-word");
    const permission = { configure: "", write: "", read: ".*" };
    await broker.api("PUT", `/api/permissions/${vhost.vhost}/scaler`, permission);
    const connection = vhost.amqpUrl.replace(CREDENTIALS, "scaler:s3cret-word");
    const scene = await grown("revoked", { connection });
    const { daemon } = scene;
    await password("another");
    await daemon.logged("observe.queue.unreadable");
    await nextTicks(daemon, 8);
    expect(daemon.lines("observe.queue.unreadable")).toMatchObject([
      { error: expect.stringContaining("refuses this user") as string },
    ]);
    expect(scene.workers.every(isAlive)).toBe(true);

    await password("s3cret-word");
    await daemon.logged("observe.queue.recovered");
    await expectRecovered(scene, "revoked");
    expect(daemon.lines("observe.queue.recovered")).toHaveLength(1);
    expect(daemon.stdout + daemon.stderr).not.toContain("s3cret-word");
  });

  it("memory alarm: said, with the queue read all the while; said again when it is over", {
    // The broker's own command is an Erlang of its own each time, which takes a busy machine long to start.
    timeout: 120_000,
  }, async () => {
    const scene = await grown("alarmed", { command: consumers("alarmed") });
    const { daemon } = scene;
    await broker.ctl("set_vm_memory_high_watermark", "absolute", "1MB");
    await daemon.logged("observe.broker.alarmed");
    await nextTicks(daemon, 8);
    expect(await daemon.metric("effiqueue_up")).toBe(1);
    expect(scene.workers.every(isAlive)).toBe(true);
    await broker.ctl("set_vm_memory_high_watermark", "absolute", "1GB");
    await daemon.logged("observe.broker.alarm_cleared");
    await expectRecovered(scene, "alarmed");
    expect(daemon.lines("observe.broker.alarmed")).toHaveLength(1);
    expect(daemon.lines("observe.broker.alarm_cleared")).toHaveLength(1);
    expect(daemon.lines("observe.queue.unreadable")).toEqual([]);
  });
});
