import { expect, it } from "vitest";
import { initialState, programConfig, step } from "../../../src/decide/index.ts";
import { describeBroker, testVhost } from "../../support/broker.ts";
import { startConsumer } from "../../support/consumers.ts";
import { until } from "../../support/until.ts";
import { openQueue } from "./open-queue.ts";

/** How many new counts of the broker are looked at. */
const WINDOWS = 4;

describeBroker("DESIGN 2.3, 7.2: what is read measures what the workers do", () => {
  it.each(["node", "python"] as const)("workers (%s) that take 200 ms a message have a mu of 5/s", async (language) => {
    const vhost = await testVhost();
    await vhost.declare("work");
    await vhost.publish("work", 2_000);
    const { value } = openQueue({ connection: vhost.amqpUrl, managementUrl: vhost.managementUrl });
    const serving = 3;
    for (let i = 0; i < serving; i += 1) startConsumer({ url: vhost.amqpUrl, queue: "work", ms: 200, language });
    await until(async () => (await value()).consumers === serving);

    const program = programConfig({
      command: "worker",
      queueConnection: vhost.amqpUrl,
      queueName: "work",
      maxWorkers: 9,
      sloDrainTime: "60s",
    });
    let state = initialState(program);
    let at = performance.now();
    const totals = new Set<unknown>();
    await until(
      async () => {
        const queue = await value();
        const dtSec = (performance.now() - at) / 1_000;
        at += dtSec * 1_000;
        totals.add(queue.ackedTotal);
        const workers = { starting: 0, serving, draining: 0 };
        const stepped = step(program, state, { dtSec, queue, workers });
        state = stepped.state;
        const { mu, muSource } = stepped.decision;
        return totals.size > WINDOWS && muSource === 1 && mu !== null && Math.abs(mu - 5) < 0.25;
      },
      40_000,
      100,
    );
    expect(totals.size).toBeGreaterThan(WINDOWS);
  });
});
