/** A daemon that cannot read its queue and whose workers crash tells the address of `on_event`, and its end waits for nobody. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { daemonOn } from "../support/daemon-process.ts";
import { waitFor } from "../support/wait-for.ts";

const SECRET = "T0KEN-0F-THE-PATH";

/** @param isDeaf takes messages and never answers */
async function receiver(isDeaf = false) {
  const received: { readonly event: string; readonly text: string }[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      received.push(JSON.parse(text) as { event: string; text: string });
      if (!isDeaf) response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, port: (server.address() as AddressInfo).port };
}

const config = (port: number): string => `
on_event = "http://127.0.0.1:${port}/\${HOOK}"
metrics_addr = "127.0.0.1:0"
poll_interval = "1s"
drain_timeout = "1s"
queue_connection = "amqp://127.0.0.1:1"
queue_name = "orders"
management = false
mode = "threshold"
command = "false"
min_workers = 1
max_workers = 1
`;

describe("DESIGN 6.9: the daemon's messages", () => {
  it("tell of a queue that cannot be read and of a crash loop, once each, and are counted", async () => {
    const { received, port } = await receiver();
    const daemon = daemonOn(config(port), "effiqueue.toml", { HOOK: SECRET }).run();
    const events = (): string[] => received.map(({ event }) => event).sort();
    await waitFor(() => received.length === 2, { what: "two messages", timeoutMs: 45_000 });
    expect(events()).toEqual(["act.spawning.backed_off", "observe.queue.unreadable"]);
    await waitFor(() => daemon.lines("act.spawning.backed_off").length >= 2, {
      what: "a crash more",
      timeoutMs: 45_000,
    });
    const counted = (await daemon.metrics()).filter(({ name }) => name === "effiqueue_notifications_total");
    expect(counted.map(({ labels, value }) => [labels["kind"], value])).toEqual([
      ["delivered", 2],
      ["dropped", 0],
    ]);
    expect(await daemon.stop()).toBe(0);
    expect(events()).toHaveLength(2);
    expect(daemon.stderr).not.toContain(SECRET);
  });

  it("hold up neither the loop nor the end when nobody answers, and the loss is said", async () => {
    const { received, port } = await receiver(true);
    const daemon = daemonOn(config(port), "effiqueue.toml", { HOOK: SECRET }).run();
    await waitFor(() => received.length === 1, { what: "a message", timeoutMs: 45_000 });
    await waitFor(() => daemon.lines("act.spawning.backed_off").length >= 2, {
      what: "work going on",
      timeoutMs: 45_000,
    });
    expect(await daemon.stop()).toBe(0);
    expect(daemon.lines("report.webhook.dropped").map(({ why }) => why)).toContain("the daemon ends");
    expect(daemon.stderr).not.toContain(SECRET);
  });
});
