// A broker that comes and goes every two seconds, for a daemon that has all the workers it may have: nothing of it may be lost, and nothing
// may be left behind. Five minutes of it in the benchmark, some flaps in the tests, on a broker that they have.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startRabbit } from "../lib/servers.mjs";
import { sleep, waitFor } from "../lib/wait.mjs";
import { keeperOf } from "./keeper.mjs";
import { openProxy } from "./proxy.mjs";
import { settled } from "./registry.mjs";
import { newTable } from "./table.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const CLI = path("../../packages/effiqueue/dist/cli/main.js");
const HEAP = path("heap.mjs");

const QUEUE = "work";
const WORKERS = 2;
/** Down, and then up. */
const HALF_MS = 1_000;
/** Of the broker, each up and down; by then everything is loaded, and all caches are full. */
const WARM_FLAPS = 30;
/** What is in use after a collection differs by less from one moment to the next. */
const STEADY_MB = 3;
/** Of the endpoint that is asked, and of the connection that there is. */
const FILES_OF_A_MOMENT = 3;
const PATIENCE = { timeoutMs: 60_000, everyMs: 50 };

/** @param own `CHAOS_AMQP_URL` with a queue `work` behind it, and `CHAOS_MANAGEMENT_URL`, for a broker that there is already */
export async function flappingScene(root, { CHAOS_AMQP_URL: url, CHAOS_MANAGEMENT_URL: managementUrl } = process.env) {
  const table = newTable();
  const broker = url === undefined ? await ownBroker(root) : { url, managementUrl, stop: () => undefined };
  const proxyOf = (address) => openProxy(Number(new URL(address).port));
  const proxies = [await proxyOf(broker.url), await proxyOf(broker.managementUrl)];
  const turn = (mode) => Promise.all(proxies.map((proxy) => proxy.turn(mode)));
  const [config, heapFile, state] = ["effiqueue.toml", "heap", "state"].map((name) => join(root, name));
  writeFileSync(config, configuration(broker.url.replace(/:\d+(?=\/|$)/, `:${proxies[0].port}`), proxies[1].port));
  const keeper = keeperOf({
    args: [
      ...["--expose-gc", "--import", HEAP],
      ...[CLI, "run", "--config", config, "--state-dir", state, "--log-level", "debug"],
    ],
    cwd: root,
    env: { ...table.env, HEAP_FILE: heapFile },
    logFile: join(root, "log"),
    drained: () => table.living().length === 0,
  });
  const pools = [{ folder: join(state, QUEUE), max: WORKERS }];
  const pids = () =>
    table
      .workers()
      .map(({ pid }) => pid)
      .sort();
  const openFiles = () => readdirSync(`/proc/${keeper.pid()}/fd`).length;
  const linesOf = (word) => keeper.log().split(word).length - 1;
  const isUnreadable = () => linesOf('"observe.queue.unreadable"') > 0;
  const until = (probe, what) => waitFor(probe, what, PATIENCE);
  const isUp = async () => /^effiqueue_up\{[^}]*\} 1$/m.test(await figures(keeper.log()));

  let flaps = 0;
  let first = { pids: [], files: 0 };
  let warmMb = null;
  /** @param isSeen whether it has been down for long enough */
  const flap = async (isSeen) => {
    flaps += 1;
    // Connections that are refused, and such as somebody in between takes and closes.
    await turn(flaps % 2 === 0 ? "refuse" : "cut");
    await isSeen();
    await turn("pass");
  };

  return {
    steps: {
      flap: [
        1,
        async () => {
          await flap(() => sleep(HALF_MS));
          await sleep(HALF_MS);
          if (flaps === WARM_FLAPS) warmMb = await heapMb(keeper, heapFile);
        },
      ],
    },
    begin: async () => {
      await keeper.start();
      await until(() => table.workers().length === WORKERS, "all workers");
      await until(isUp, "a queue that is read");
      first = { pids: pids(), files: openFiles() };
    },
    check: async () => {
      keeper.check();
      if (pids().join() !== first.pids.join()) throw new Error(`workers were ${first.pids}, and are ${pids()}`);
    },
    end: async () => {
      // Whatever the machine does: once at least it was seen.
      if (!isUnreadable()) await flap(() => until(isUnreadable, "a queue that cannot be read"));
      await until(isUp, "a queue that is read again");
      await until(() => openFiles() <= first.files + FILES_OF_A_MOMENT, "connections that are closed again");
      await settled(table, pools);
      const [warnings, errors] = [linesOf('"level":"warn"'), linesOf('"level":"error"')];
      // Two for each change.
      if (warnings > 4 * flaps || errors > 0) throw new Error(`${warnings} warnings, ${errors} errors, ${flaps} flaps`);
      if (keeper.log().includes(`:${new URL(broker.url).password}@`)) throw new Error("the log shows the password");
      const growthMb = warmMb === null ? null : (await heapMb(keeper, heapFile)) - warmMb;
      if (growthMb !== null && growthMb > STEADY_MB)
        throw new Error(`${growthMb} MB more than after ${WARM_FLAPS} flaps`);
      const account = { flaps, warnings, files: openFiles() - first.files, growthMb, rssMb: keeper.rssMb() };
      await keeper.stop();
      return { ...account, broker: broker.version };
    },
    destroy: () => {
      keeper.destroy();
      table.killAll();
      for (const proxy of proxies) proxy.close();
      broker.stop();
    },
  };
}

async function ownBroker(root) {
  const broker = await startRabbit(root);
  if (broker.missing) throw new Error(broker.missing);
  await broker.api("PUT", `/queues/%2F/${QUEUE}`, { durable: true });
  return broker;
}

const configuration = (url, managementPort) => `queue_connection = "${url}"
management_url = "http://127.0.0.1:${managementPort}"
queue_name = "${QUEUE}"
command = "sleep 86400"
min_workers = ${WORKERS}
max_workers = ${WORKERS}
slo_drain_time = "30s"
poll_interval = "250ms"
metrics_addr = "127.0.0.1:0"
`;

async function figures(log) {
  const address = /"metrics_addr":"([^"]+)"/.exec(log)?.[1];
  return address === undefined ? "" : (await fetch(`http://${address}/metrics`)).text();
}

/** In use after a collection. */
async function heapMb(keeper, file) {
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  keeper.signal("SIGUSR2");
  const isWritten = () => existsSync(file) && readFileSync(file, "utf8") !== before;
  await waitFor(isWritten, "a collection", PATIENCE);
  return JSON.parse(readFileSync(file, "utf8")).bytes / 2 ** 20;
}
