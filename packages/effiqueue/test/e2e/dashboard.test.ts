/** The dashboard of a daemon that runs real workers on a real broker, as somebody sees it who opens it. */
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import type { ProgramStatus, StatusReply } from "../../src/report/api-types.ts";
import { describeBroker, testVhost } from "../support/broker.ts";
import { describeBrowser } from "../support/browser.ts";
import { consumerCommand } from "../support/consumers.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";

const FIELDS = `({
  tick: document.querySelector("main").dataset.tick,
  fields: Object.fromEntries([...document.querySelectorAll("[data-field]")].map((data) => [data.dataset.field, data.getAttribute("value")])),
})`;

interface Shown {
  readonly tick: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** What page and daemon say of one and the same tick. */
async function sameTick(page: Page, url: string): Promise<readonly [Shown, ProgramStatus]> {
  let both: readonly [Shown, ProgramStatus] | undefined;
  await until(async () => {
    const shown = await page.evaluate<Shown>(FIELDS);
    const { programs } = (await (await fetch(`${url}/api/status`)).json()) as StatusReply;
    both = programs[0]?.lastTickAt === shown.tick ? [shown, programs[0]] : undefined;
    return both !== undefined;
  });
  if (both === undefined) throw new Error("never the same tick");
  return both;
}

describeBroker("DESIGN 6.7: the dashboard of a daemon", () => {
  describeBrowser("in a browser", ({ open }) => {
    it("shows the gap that the daemon has found, its figures to the last digit, and nothing of anybody else", {
      timeout: 120_000,
    }, async () => {
      const vhost = await testVhost();
      await vhost.declare("orders");
      await vhost.publish("orders", 3_000);
      const { file, args } = consumerCommand({ url: vhost.amqpUrl, queue: "orders", ms: 100 });
      const daemon = daemonOn(`
queue_connection = "${vhost.amqpUrl}"
management_url = "${vhost.managementUrl}"
queue_name = "orders"
command = "${[file, ...args].join(" ")}"
max_workers = 1
slo_drain_time = "5s"
poll_interval = "1s"
metrics_addr = "127.0.0.1:0"
`).run();
      const url = await daemon.url();
      const { page, complaints, strangers } = await open(`${url}/`);
      await page.getByRole("heading", { name: /^max_workers is too low: \d+ workers are missing\.$/ }).waitFor();
      await page.getByText("raise max_workers to", { exact: false }).first().waitFor();

      const [{ fields }, { workers, queue, memory, decision }] = await sameTick(page, url);
      const shown = (value: number | null | undefined): string => String(value ?? "");
      expect(fields).toMatchObject({
        running: shown(workers?.current),
        needed: shown(decision?.neededWorkers),
        capacity: shown(decision?.capacityWorkers),
        asked: shown(decision?.desiredWorkers),
        backlog: shown(queue?.backlog),
        lambda: shown(decision?.lambdaPerSec),
        mu: shown(decision?.muPerSec),
        "pool-memory": shown(memory?.poolBytes),
        "machine-memory": shown(memory?.usedBytes),
      });
      expect(Number(fields["needed"])).toBeGreaterThan(1);

      const before = Number(fields["backlog"]);
      await until(async () => Number((await page.evaluate<Shown>(FIELDS)).fields["backlog"]) < before);
      const moments = page.getByRole("slider", { name: /Backlog/ });
      await until(async () => Number(await moments.getAttribute("aria-valuemax")) > 0);
      expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
      expect(await daemon.stop()).toBe(0);
      await page.getByText("No answer from the daemon").waitFor();
    });
  });
});
