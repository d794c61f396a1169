/** mu by the counts of a real broker, held against what the workers wrote down themselves; and two programs in one budget. */
import { expect, it } from "vitest";
import type { ProgramStatus, StatusReply } from "../../src/report/api-types.ts";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { Tally } from "../support/tally.ts";
import { trickle } from "../support/trickle.ts";
import { until } from "../support/until.ts";

const MS_PER_MESSAGE = 200;

const LANGUAGES = ["node", "python"] as const;

/** A `[[program]]` called like its queue. */
function programOf(vhost: TestVhost, name: string, language: "node" | "python", tally: Tally): string {
  const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue: name, ms: MS_PER_MESSAGE, language });
  return `
[[program]]
queue_name = "${name}"
command = "${[file, ...args].join(" ")}"
env = { TALLY = "${tally.folder}" }
`;
}

async function statusOf(daemon: DaemonProcess, name: string): Promise<ProgramStatus | undefined> {
  const reply = (await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply;
  return reply.programs.find(({ program }) => program === name);
}

const ticksOf = (daemon: DaemonProcess, name: string) =>
  daemon.lines("loop.tick.decided").filter(({ program }) => program === name);

describeBroker("DESIGN 2.3: mu by the rates of the broker, end to end", () => {
  it("is within 5% after three saturated windows, stays so on an idle queue, and the pool shrinks", {
    timeout: 150_000,
  }, async () => {
    const vhost = await testVhost();
    const tallies = { node: new Tally(), python: new Tally() };
    for (const language of LANGUAGES) {
      await vhost.declare(language);
      await vhost.publish(language, 340);
    }
    const daemon = daemonOn(`
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
min_workers = 1
max_workers = 4
slo_drain_time = "5s"
poll_interval = "2s"
cooldown_ticks = 0
hysteresis = 0
metrics_addr = "127.0.0.1:0"
${LANGUAGES.map((language) => programOf(vhost, language, language, tallies[language])).join("")}`).run(
      "--log-level",
      "debug",
    );

    const truth = { node: Number.NaN, python: Number.NaN };
    for (const language of LANGUAGES) {
      const isFull = ({ current_workers: n, pending }: Record<string, unknown>) => n === 4 && Number(pending) >= 4;
      // Three windows have four ends.
      await daemon.waitFor(() => ticksOf(daemon, language).filter(isFull).length >= 4, `windows of ${language}`);
      truth[language] = tallies[language].rate();
      const { decision } = (await statusOf(daemon, language)) ?? {};
      expect(decision?.muSource, language).toBe(1);
      expect(Math.abs((decision?.muPerSec ?? 0) / truth[language] - 1), language).toBeLessThan(0.05);
    }

    // Next to idle: so little comes that lambda / n is far below mu.
    const drop = await trickle(vhost, LANGUAGES, 800);
    for (const language of LANGUAGES) {
      await until(async () => (await statusOf(daemon, language))?.workers?.current === 1, 60_000);
      const before = ticksOf(daemon, language).length;
      await daemon.waitFor(() => ticksOf(daemon, language).length >= before + 5, "five idle windows");
      const { decision, workers } = (await statusOf(daemon, language)) ?? {};
      expect(workers?.current, language).toBe(1);
      // Far from lambda / n, which is below a half; the machine itself may be slower by now than when the truth was taken.
      expect((decision?.muPerSec ?? 0) / truth[language], language).toBeGreaterThan(0.75);
      // A broker that is short of time counts late, and then what the workers before did is taken for those of now.
      expect((decision?.muPerSec ?? 0) / truth[language], language).toBeLessThan(1.25);
      expect(decision?.lambdaPerSec, language).toBeLessThan(truth[language] / 2);
      expect(decision?.lambdaPerSec, language).toBeGreaterThan(0);
    }
    await drop();
    expect(await daemon.stop()).toBe(0);
  });
});

describeBroker("DESIGN 7.8: two hungry programs in one budget, end to end", () => {
  it("hold no more memory than it at any scrape, and both are served", { timeout: 120_000 }, async () => {
    const budget = 120 * 1024 ** 2;
    const vhost = await testVhost();
    const names = ["one", "two"];
    const tallies = names.map(() => new Tally());
    for (const name of names) {
      await vhost.declare(name);
      await vhost.publish(name, 2_000);
    }
    const programs = names.map((name, i) => programOf(vhost, name, "python", tallies[i] ?? new Tally()));
    const daemon = daemonOn(`
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
max_workers = 50
slo_drain_time = "10s"
ram_budget = ${budget}
poll_interval = "1s"
cooldown_ticks = 0
metrics_addr = "127.0.0.1:0"
${programs.join("")}`).run("--log-level", "debug");

    const held: number[] = [];
    await until(async () => {
      const series = await daemon.metrics();
      const valuesOf = (name: string) => series.filter((sample) => sample.name === name).map(({ value }) => value);
      held.push(valuesOf("effiqueue_pool_memory_bytes").reduce((sum, value) => sum + value, 0));
      const gaps = valuesOf("effiqueue_feasibility_gap");
      // Both want more than there is, and have settled.
      return names.every((name) => ticksOf(daemon, name).length >= 15) && gaps.length === 2 && Math.min(...gaps) > 0;
    }, 60_000);
    expect(Math.max(...held)).toBeLessThanOrEqual(budget);
    expect(Math.max(...held)).toBeGreaterThan(budget / 2);
    for (const name of names) {
      expect((await statusOf(daemon, name))?.workers?.current, name).toBeGreaterThanOrEqual(2);
    }
    for (const tally of tallies) expect(tally.total()).toBeGreaterThan(0);
    expect(await daemon.stop()).toBe(0);
  });
});
