/** mu from the backlog alone, as a real broker shows it over AMQP, held against what the workers wrote down themselves. */
import { expect, it } from "vitest";
import { describeBroker, testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { Tally } from "../support/tally.ts";
import { until } from "../support/until.ts";

const WINDOWS = 60;
const POLL_SEC = 1;

describeBroker("DESIGN 2.3: mu without the management API, end to end", () => {
  it.each(["node", "python"] as const)("is inferred within 25%% of the truth in 60 windows, workers in %s", {
    timeout: 150_000,
  }, async (language) => {
    const vhost = await testVhost();
    await vhost.declare("work");
    await vhost.publish("work", 3_000);
    const tally = new Tally();
    const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue: "work", ms: 100, language });
    const daemon = daemonOn(`
command = "${[file, ...args].join(" ")}"
env = { TALLY = "${tally.folder}" }
queue_connection = "${vhost.amqpUrl}"
queue_name = "work"
management = false
max_workers = 4
slo_drain_time = "30s"
poll_interval = "${POLL_SEC}s"
cooldown_ticks = 1
metrics_addr = "127.0.0.1:0"
`).run("--log-level", "debug");
    const t0 = performance.now(); const out: string[] = [];
    let last = "";
    while (performance.now() - t0 < 62000) {
      const s: any = await (await fetch(`${await daemon.url()}/api/status`)).json();
      const p = s.programs[0];
      if (p.lastTickAt !== last) { last = p.lastTickAt; out.push(`${((performance.now() - t0) / 1000).toFixed(1)} ready=${p.queue?.ready} cons=${p.queue?.consumers} w=${JSON.stringify(p.workers)} mu=${p.decision?.muPerSec} la=${p.decision?.lambdaPerSec} src=${p.decision?.muSource} spread=${p.decision?.spread} ${p.decision?.rationale} truth=${tally.rate().toFixed(3)} n=${tally.total()}`); }
      await new Promise((r) => setTimeout(r, 100));
    }
    console.log(out.join("\n"));
    expect(WINDOWS).toBe(60);
    await until(async () => (await daemon.metric("effiqueue_mu_source")) === 2);
  });
});
