// `effiqueue run` on a real broker, with workers that are `sleep`: what is measured is the daemon and not what it manages.
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { start, stop } from "./lane.mjs";
import { childrenOf } from "./proc.mjs";
import { startRabbit } from "./servers.mjs";
import { nowMs, waitFor } from "./wait.mjs";

const CLI = fileURLToPath(new URL("../../packages/effiqueue/dist/cli/main.js", import.meta.url));

let daemons = 0;

/** A daemon whose pools are as large as `workers` says from the start. */
export async function openDaemon(root, broker, { programs, workers, pollSec, metricsAddr = "127.0.0.1:0" }) {
  const dir = mkdtempSync(join(root, "daemon-"));
  daemons += 1;
  const names = Array.from({ length: programs }, (_, i) => `bench-${daemons}-${i}`);
  for (const name of names) await broker.api("PUT", `/queues/%2F/${name}`, { durable: false });
  const file = join(dir, "effiqueue.toml");
  writeFileSync(
    file,
    `queue_connection = "${broker.url}"
management_url = "${broker.managementUrl}"
command = "sleep 86400"
min_workers = ${workers}
max_workers = ${workers}
slo_drain_time = "1m"
poll_interval = "${pollSec}s"
metrics_addr = "${metricsAddr}"
state_dir = "${join(dir, "state")}"
${names.map((name) => `[[program]]\nqueue_name = "${name}"\n`).join("")}`,
  );
  const from = nowMs();
  const child = start(process.execPath, [CLI, "run", "--config", file], { stdio: "ignore" });
  const grown = (count) =>
    waitFor(() => childrenOf(child.pid).length >= count, `${count} workers`, { timeoutMs: 120_000, everyMs: 1 });
  return { child, from, grown, close: () => stop(child, "SIGTERM", 20_000) };
}

export async function withBroker(root, measure) {
  const broker = await startRabbit(root);
  if (broker.missing) throw new Error(broker.missing);
  try {
    return { broker: broker.version, ...(await measure(broker)) };
  } finally {
    broker.stop();
  }
}
