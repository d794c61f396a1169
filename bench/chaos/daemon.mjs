// The daemon on a private RabbitMQ: two programs that share a budget of memory, workers that write down what they have done, and
// everything between them breaks.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "amqplib";
import { startRabbit } from "../lib/servers.mjs";
import { sleep, waitFor } from "../lib/wait.mjs";
import { commonSteps } from "./common-steps.mjs";
import { keeperOf } from "./keeper.mjs";
import { openProxy } from "./proxy.mjs";
import { settled } from "./registry.mjs";
import { newTable } from "./table.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const CLI = path("../../packages/effiqueue/dist/cli/main.js");
const CLOCK = path("../../packages/effiqueue/test/fixtures/clock.mjs");
const WORKER = path("worker.mjs");

const QUEUES = ["a", "b"];
const MAX = 4;
/** Less than all workers take, so that it binds. */
const BUDGET_BYTES = 120 * 2 ** 20;
/** Far above what it takes (65 MB): it tells a leak from a heap. */
const MOST_RSS_MB = 200;
const DRAINED_MS = 180_000;

export async function daemonScene(root) {
  const table = newTable();
  const broker = await startRabbit(root);
  if (broker.missing) throw new Error(broker.missing);
  const portOf = (url) => Number(new URL(url).port);
  const [amqp, management] = [await openProxy(portOf(broker.url)), await openProxy(portOf(broker.managementUrl))];
  const [done, state] = [join(root, "done"), join(root, "state")];
  for (const folder of [done, state]) mkdirSync(folder);
  // Where it may be mounted: a disk of its own, that can be filled.
  const hasDisk = spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", state]).status === 0;
  const url = `amqp://guest:guest@127.0.0.1:${amqp.port}`;
  const config = join(root, "effiqueue.toml");
  const configure = (max) => writeFileSync(config, configuration(url, management.port, done, max));
  configure(MAX);

  const keeper = keeperOf({
    args: ["--import", CLOCK, CLI, "run", "--config", config, "--state-dir", state],
    cwd: root,
    env: { ...table.env, CLOCK_JUMPS: "-1,25,-24,3" },
    logFile: join(root, "log"),
    drained: () => table.living().length === 0,
  });
  const pools = QUEUES.map((queue) => ({ folder: join(state, queue), max: MAX }));
  let published = 0;

  const publish = async (queue, count) => {
    const connection = await connect(broker.url);
    const channel = await connection.createConfirmChannel();
    for (let i = 0; i < count; i += 1) {
      channel.sendToQueue(queue, Buffer.from(String(published + i)), { persistent: true });
    }
    // What was not confirmed may be there or not, so the numbers go on only after the confirmation.
    await channel.waitForConfirms();
    published += count;
    await connection.close();
  };
  const { mend, steps: common } = commonSteps({
    who: "daemon",
    keeper,
    table,
    pools,
    mend: () => {
      for (const proxy of [amqp, management]) proxy.turn("pass");
    },
  });

  const steps = {
    burst: [
      5,
      async (random) => {
        const [queue, count] = [random.pick(QUEUES), random.between(20, 200)];
        await publish(queue, count);
        return `${count} to ${queue}`;
      },
    ],
    ...common,
    "cut AMQP": [1, async () => amqp.turn("cut")],
    "cut the management API": [2, async () => management.turn("cut")],
    "swallow both": [1, async () => [amqp, management].forEach((proxy) => void proxy.turn("swallow"))],
    "no more files": [2, async (random) => keeper.starve(random.between(500, 2_500))],
    "set the clock": [1, async () => void keeper.signal("SIGUSR2")],
    reload: [
      1,
      async (random) => {
        const max = random.between(1, MAX);
        configure(max);
        keeper.signal("SIGHUP");
        return `with at most ${max}`;
      },
    ],
    "reload nonsense": [
      1,
      async (random) => {
        writeFileSync(config, random.pick(["", "max_workers = [", "command = 7\n"]));
        keeper.signal("SIGHUP");
        await sleep(500);
        configure(MAX);
      },
    ],
    "kill the broker": [1, () => broker.restart()],
    ...(hasDisk && {
      "fill the disk": [
        1,
        async (random) => {
          spawnSync("sh", ["-c", `cat /dev/zero > ${join(state, "full")}`], { stdio: "ignore" });
          await sleep(random.between(200, 2_000));
          spawnSync("rm", ["-f", join(state, "full")]);
        },
      ],
    }),
  };

  return {
    steps,
    begin: async () => {
      for (const queue of QUEUES) await broker.api("PUT", `/queues/%2F/${queue}`, { durable: true });
      await keeper.start();
      await settled(table, pools);
    },
    check: async () => {
      keeper.check();
      // A held worker is none that could be adopted, drained or counted away; the invariants are those of all.
      await settled(table, pools);
      await withinBudget(keeper.log());
      keeper.check();
    },
    end: async () => {
      mend();
      // By what the workers say: what the broker says of the queue is up to ten seconds old.
      const lost = () => {
        const finished = finishedIn(done);
        return Array.from({ length: published }, (_, id) => String(id)).filter((id) => !finished.has(id));
      };
      await waitFor(() => lost().length === 0, "all messages", { timeoutMs: DRAINED_MS, everyMs: 500 }).catch(
        (error) => {
          throw new Error(
            `${error.message}: ${lost().length} of ${published} acknowledged ones are lost: ${lost().slice(0, 5)}`,
          );
        },
      );
      const rssMb = keeper.rssMb();
      if (rssMb > MOST_RSS_MB) throw new Error(`the daemon takes ${rssMb} MB`);
      await keeper.stop();
      return { messages: published, broker: broker.version, rssMb };
    },
    destroy: () => {
      keeper.destroy();
      table.killAll();
      for (const proxy of [amqp, management]) proxy.close();
      broker.stop();
      if (hasDisk) spawnSync("umount", ["-l", state]);
    },
  };
}

const configuration = (url, managementPort, done, max) => `queue_connection = "${url}"
management_url = "http://127.0.0.1:${managementPort}"
command = "${process.execPath} ${WORKER} ${url} %(program_name)s ${done}"
min_workers = 0
max_workers = ${max}
slo_drain_time = "5s"
ram_budget = ${BUDGET_BYTES}
poll_interval = "500ms"
drain_timeout = "3s"
min_uptime = "0s"
metrics_addr = "127.0.0.1:0"
stdout = "null"
stderr = "null"
env = { NODE_EXTRA_CA_CERTS = "" }
${QUEUES.map((queue) => `[[program]]\nqueue_name = "${queue}"\n`).join("")}`;

const finishedIn = (folder) =>
  new Set(readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1)));

/** By the status of the daemon that was started last; while it has none to ask there is none to check. */
async function withinBudget(log) {
  const address = [...log.matchAll(/"metrics_addr":"([^"]+)"/g)].at(-1)?.[1];
  const status = await fetch(`http://${address}/api/status`, { signal: AbortSignal.timeout(10_000) })
    .then((answer) => answer.json())
    .catch(() => undefined);
  if (status === undefined) return;
  for (const { program, workers, decision, memory } of status.programs) {
    if (workers !== null && workers.current > MAX)
      throw new Error(`${program} has ${workers.current} workers, ${MAX} may be`);
    if (decision === null || memory?.reservedBytes == null || memory.budgetBytes == null) continue;
    // The first worker of an empty pool comes whatever the memory is.
    const grows = decision.action === "grow" && decision.desiredWorkers > 1;
    const reserved = (decision.desiredWorkers + workers.draining) * memory.reservedBytes;
    if (grows && reserved > memory.budgetBytes) {
      throw new Error(
        `${program} grew to ${decision.desiredWorkers} workers: ${reserved} of ${memory.budgetBytes} bytes`,
      );
    }
  }
}
