/** mu from the backlog alone, as a real broker shows it over AMQP, held against what the workers wrote down themselves. */
import { expect, it } from "vitest";
import { describeBroker, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { Tally } from "../support/tally.ts";

const LANGUAGES = ["node", "python"] as const;
/** Half of what is promised. */
const WINDOWS = 30;

describeBroker("DESIGN 2.3: mu without the management API, end to end", () => {
  it("is inferred within 25% of the truth, with workers that take a good part of a window to start", {
    timeout: 120_000,
  }, async () => {
    const vhost = await testVhost();
    const tallies = { node: new Tally(), python: new Tally() };
    const programs = LANGUAGES.map((language) => {
      const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue: language, ms: 100, language });
      return `
[[program]]
queue_name = "${language}"
command = "${[file, ...args].join(" ")}"
env = { TALLY = "${tallies[language].folder}" }
`;
    });
    for (const language of LANGUAGES) {
      await vhost.declare(language);
      await vhost.publish(language, 2_000);
    }
    const daemon = daemonOn(`
queue_connection = "${vhost.amqpUrl}"
management = false
max_workers = 4
slo_drain_time = "30s"
poll_interval = "1s"
metrics_addr = "127.0.0.1:0"
${programs.join("")}`).run("--log-level", "debug");

    for (const language of LANGUAGES) {
      const ticks = () => daemon.lines("loop.tick.decided").filter(({ program }) => program === language);
      await daemon.waitFor(() => ticks().length > WINDOWS, `${WINDOWS} windows of ${language}`, 60_000);
      const series = await daemon.metrics();
      const valueOf = (name: string) =>
        series.find((sample) => sample.name === name && sample.labels["program"] === language)?.value;
      expect(valueOf("effiqueue_mu_source"), language).toBe(2);
      const truth = tallies[language].rate();
      expect(Math.abs((valueOf("effiqueue_mu") ?? 0) / truth - 1), language).toBeLessThan(0.25);
    }
    expect(await daemon.stop()).toBe(0);
  });
});
