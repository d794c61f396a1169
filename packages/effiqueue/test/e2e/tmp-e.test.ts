import { setTimeout as sleep } from "node:timers/promises";
import { it } from "vitest";
import { testVhost } from "../support/broker.ts";
import { consumerCommand } from "../support/consumers.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { Tally } from "../support/tally.ts";

it("x", { timeout: 100000 }, async () => {
  const v = await testVhost();
  const ps = ["node", "python"] as const;
  const tal = { node: new Tally(), python: new Tally() };
  let cfg = `queue_connection = "${v.amqpUrl}"\nmanagement_url = "${v.managementUrl}"\nmin_workers = 1\nmax_workers = 3\nslo_drain_time = "10s"\npoll_interval = "2s"\ncooldown_ticks = 0\nhysteresis = 0\nmetrics_addr = "127.0.0.1:0"\n`;
  for (const l of ps) {
    await v.declare(l);
    await v.publish(l, 240);
    const { file, args } = consumerCommand({ url: v.amqpUrl, queue: l, ms: 200, language: l });
    cfg += `[[program]]\nqueue_name="${l}"\ncommand="${[file, ...args].join(" ")}"\nenv = { TALLY = "${tal[l].folder}" }\n`;
  }
  const d = daemonOn(cfg).run("--log-level", "debug");
  const url = await d.url();
  let last = "";
  const t0 = performance.now();
  const out: string[] = [];
  while (performance.now() - t0 < 22000) {
    const s: any = await (await fetch(`${url}/api/status`)).json();
    const at = s.programs.map((p: any) => p.lastTickAt).join();
    if (at !== last) {
      last = at;
      for (const p of s.programs)
        out.push(
          `${((performance.now() - t0) / 1000).toFixed(1)} ${p.program} ready=${p.queue?.ready} un=${p.queue?.unacked} ack=${p.queue?.ackPerSec} cons=${p.queue?.consumers} w=${JSON.stringify(p.workers)} mu=${p.decision?.muPerSec} src=${p.decision?.muSource} truth=${tal[p.program as "node"].rate()} n=${tal[p.program as "node"].total()}`,
        );
    }
    await sleep(100);
  }
  console.log(out.join("\n"));
});
