/** What a user sees who writes ten lines: workers on a backlog, measured, settled, and back to the floor. On a real broker. */
import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { runHere } from "../cli/run-here.ts";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { CREDENTIALS } from "../support/password.ts";
import { tcpProxy } from "../support/tcp-proxy.ts";
import { until } from "../support/until.ts";
import { waitFor } from "../support/wait-for.ts";

const MS_PER_MESSAGE = 200;

/** As a user types it. */
const commandLine = (vhost: TestVhost, queue: string, language: "node" | "python"): string => {
  const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue, ms: MS_PER_MESSAGE, language });
  return [file, ...args].join(" ");
};

const tenLines = (vhost: TestVhost, queue: string, language: "node" | "python"): string => `
command = "${commandLine(vhost, queue, language)}"
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
queue_name = "${queue}"
max_workers = 4
slo_drain_time = "10s"
poll_interval = "1s"
cooldown_ticks = 0
metrics_addr = "127.0.0.1:0"
`;

/** Follows a daemon on a backlog of 120 messages, 24 s of work for one, until nothing is left to do. */
async function watchItEmpty(daemon: DaemonProcess, vhost: TestVhost, queue: string): Promise<void> {
  await daemon.workersOf(2);
  await until(async () => (await daemon.metric("effiqueue_mu_source")) === 1);
  await until(async () => (await vhost.depth(queue)) === 0, 45_000);
  const mu = (await daemon.metric("effiqueue_mu")) ?? Number.NaN;
  const truth = 1000 / MS_PER_MESSAGE;
  // So few messages, done by a pool that grows and shrinks meanwhile, tell no more; what many tell is tested where they are read.
  expect(Math.abs(mu - truth)).toBeLessThan(truth * 0.25);
  await until(async () => (await daemon.metric("effiqueue_workers")) === 0, 45_000);
}

describeBroker("DESIGN 7.9: the daemon on RabbitMQ", () => {
  let vhost: TestVhost;
  beforeAll(async () => {
    vhost = await testVhost();
  });

  it.each(["node", "python"] as const)(
    "sizes workers in %s by what it measures",
    { timeout: 120_000 },
    async (language) => {
      const queue = `work-${language}`;
      await vhost.declare(queue);
      await vhost.publish(queue, 120);
      const { living, run } = daemonOn(tenLines(vhost, queue, language));
      const daemon = run();
      await watchItEmpty(daemon, vhost, queue);

      const { code, stdout } = await runHere("explain", queue, "--url", await daemon.url(), "--limit", "50");
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /A worker does [\d.]+\/s \(by the rates of the broker, [\d.]+ to [\d.]+ with 95% confidence\)/,
      );
      expect(await daemon.stop()).toBe(0);
      await waitFor(() => living().length === 0, { what: "nobody is left" });
    },
  );

  it("takes a Supervisor file as it is, with three lines more, and sizes its workers", async () => {
    await vhost.declare("conf");
    // Enough that a third worker still finds work when it has started, however late.
    await vhost.publish("conf", 180);
    const conf = `[effiqueue]
poll_interval = 1s
metrics_addr = 127.0.0.1:0

[program:mailer]
command = ${commandLine(vhost, "conf", "python")}   ; as Supervisor ran it
process_name = %(program_name)s_%(process_num)02d
numprocs = 3
autorestart = true
stopwaitsecs = 20
environment = LOG_LEVEL="info"
queue_connection = ${vhost.amqpUrl}
management_url = ${vhost.managementUrl}
queue_name = conf
slo_drain_time = 1s
cooldown_ticks = 0
`;
    const { living, run } = daemonOn(conf, "supervisor.conf");
    const daemon = run();
    await daemon.workersOf(3);
    await until(async () => (await vhost.depth("conf")) === 0, 30_000);
    await until(async () => (await daemon.metric("effiqueue_workers")) === 0, 30_000);
    expect(daemon.lines("act.worker.exited").every(({ kind }) => kind === "stopped")).toBe(true);
    expect(await daemon.stop()).toBe(0);
    expect(living()).toEqual([]);
  });

  it("starts without the broker, holds its floor, and goes to work when the broker comes", async () => {
    await vhost.declare("late");
    await vhost.publish("late", 20);
    const proxy = await tcpProxy(Number(new URL(vhost.amqpUrl).port));
    await proxy.cut();
    const throughProxy = new URL(vhost.amqpUrl);
    throughProxy.port = String(proxy.port);
    const config = `${tenLines(vhost, "late", "node")}min_workers = 1\nmanagement = false\n`
      .replace(`queue_connection = "${vhost.amqpUrl}"`, `queue_connection = "${throughProxy.href}"`)
      .replace(/management_url.*\n/, "");
    const daemon = daemonOn(config).run();
    await daemon.workersOf(1);
    const unreadable = await daemon.logged("observe.queue.unreadable");
    expect(unreadable["error"]).not.toContain("guest");
    expect((await fetch(`${await daemon.url()}/readyz`)).status).toBe(503);
    expect(daemon.workers()).toHaveLength(1);

    await proxy.mend();
    await daemon.logged("observe.queue.recovered");
    await daemon.workersOf(2);
    expect((await fetch(`${await daemon.url()}/readyz`)).status).toBe(200);

    await proxy.cut();
    await daemon.waitFor(() => daemon.lines("observe.queue.unreadable").length > 1, "another outage");
    expect(daemon.lines("act.worker.stop_signalled")).toEqual([]);
    expect(await daemon.stop()).toBe(0);
  });

  it("refuses a stream at the start, as the fault of the configuration that it is", async () => {
    await vhost.declare("log", { durable: true, arguments: { "x-queue-type": "stream" } });
    const { living, run } = daemonOn(`${tenLines(vhost, "log", "node")}min_workers = 1\n`);
    const { code, stderr } = await run().ended;
    expect(code).toBe(78);
    expect(stderr).toMatch(/^\S+effiqueue\.toml: program "log": queue_name: .*stream/m);
    expect(living()).toEqual([]);
  });

  it("starts one worker where the queue serves one consumer at a time, and says what lifts that", async () => {
    const queue = "in-order";
    await vhost.declare(queue, { arguments: { "x-single-active-consumer": true } });
    await vhost.publish(queue, 500);
    const daemon = daemonOn(tenLines(vhost, queue, "node")).run();
    await daemon.waitFor(() => daemon.lines("decide.gap.opened").length > 0, "the gap");
    expect(daemon.lines("act.worker.spawned")).toHaveLength(1);
    expect(daemon.lines("decide.gap.opened")).toMatchObject([{ workers_capacity: 1, bound_by: "single-consumer" }]);
    const { stdout } = await runHere("explain", queue, "--url", await daemon.url());
    expect(stdout).toContain("To close the gap: declare the queue without x-single-active-consumer");
    expect(await daemon.stop()).toBe(0);
  });

  it("needs no more rights than docs/operating.md gives its user", async () => {
    await vhost.declare("rights");
    const docs = readFileSync(new URL("../../../../docs/operating.md", import.meta.url), "utf8");
    const commands = [...docs.matchAll(/^rabbitmqctl (.*)$/gm)].map(([, words = ""]) =>
      words
        .split(" ")
        .map((word) => word.replaceAll(/['"]/g, "").replace("$RABBITMQ_PASSWORD", "s3cret-word"))
        .map((word) => (word === "/" ? vhost.vhost : word)),
    );
    expect(commands.map(([verb]) => verb)).toEqual(["add_user", "set_user_tags", "set_permissions"]);
    for (const words of commands) await vhost.ctl(...words);

    const as = (url: string): string =>
      url.replace(`//${CREDENTIALS}@`, "//").replace("//", "//effiqueue:s3cret-word@");
    const config = tenLines(vhost, "rights", "node")
      .replace(`queue_connection = "${vhost.amqpUrl}"`, `queue_connection = "${as(vhost.amqpUrl)}"`)
      .replace(`management_url = "${vhost.managementUrl}"`, `management_url = "${as(vhost.managementUrl)}"`);
    expect(config.match(/"\w+:\/\/effiqueue:s3cret-word@/g)).toHaveLength(2);
    const { file } = daemonOn(config);
    const { stdout } = await runHere("doctor", "--config", file, "--json");
    const { checks } = JSON.parse(stdout) as { checks: { subject: string; status: string; found: string }[] };
    expect(checks.filter(({ status }) => status === "failed")).toEqual([]);
    expect(stdout).not.toContain("s3cret");
  });
});
