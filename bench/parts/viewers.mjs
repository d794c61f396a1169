// What it costs a tick that people look on: ten dashboards that follow every change, against none, in turns on one daemon.
import { get } from "node:http";
import { openDaemon, withBroker } from "../lib/daemon.mjs";
import { cpuShares } from "../lib/proc.mjs";
import { freePort } from "../lib/servers.mjs";
import { median, ratios, spread } from "../lib/stats.mjs";
import { sleep } from "../lib/wait.mjs";

const VIEWERS = 10;
const PROGRAMS = 5;
const WORKERS_EACH = 4;
const POLL_SEC = 1;
/** Past what is loaded late, and the compiler. */
const SETTLED_SEC = 60;
/** Until those who come are there, and what those who went have left is collected. */
const TURN_SEC = 2;

export const viewers = ({ root, rounds, seconds, say }) =>
  withBroker(root, async (broker) => {
    const port = await freePort();
    const size = { programs: PROGRAMS, workers: WORKERS_EACH, pollSec: POLL_SEC, metricsAddr: `127.0.0.1:${port}` };
    const { child, grown, close } = await openDaemon(root, broker, size);
    await grown(PROGRAMS * WORKERS_EACH);
    await sleep(SETTLED_SEC * 1000);
    const measure = () => meanTick(port, child.pid, seconds);
    const [none, again, ten] = [[], [], []];
    for (let round = 0; round < rounds; round++) {
      // Two turns without anybody: how far they differ is the noise.
      none.push(await measure());
      again.push(await measure());
      const streams = Array.from({ length: VIEWERS }, () => follow(port));
      await sleep(TURN_SEC * 1000);
      ten.push(await measure());
      const told = streams.map((stream) => stream.end());
      if (told.some((count) => count < 2)) throw new Error("a viewer was told nothing");
      await sleep(TURN_SEC * 1000);
      say(`viewers: a tick takes ${[none, again, ten].map((turns) => turns.at(-1).tickMs.toFixed(2)).join(", ")} ms`);
    }
    await close();
    return { rounds, seconds, none, again, ten };
  });

async function meanTick(port, pid, seconds) {
  const before = await ticks(port);
  const [cpu] = await cpuShares([pid], seconds);
  const after = await ticks(port);
  const count = after.count - before.count;
  return { tickMs: (1000 * (after.sum - before.sum)) / count, ticks: count, cpuShare: cpu.fine ?? cpu.stat };
}

/** Of all programs, from the daemon's own histogram. */
async function ticks(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const total = (suffix) =>
    [...text.matchAll(new RegExp(`^effiqueue_tick_seconds_${suffix}\\{.*\\} (.+)$`, "gm"))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    );
  return { sum: total("sum"), count: total("count") };
}

/** Reads what it is told, as a page does. */
function follow(port) {
  let told = 0;
  const request = get({ host: "127.0.0.1", port, path: "/api/events", agent: false }, (response) => {
    response.setEncoding("utf8").on("data", (text) => {
      told += text.split("event: status").length - 1;
    });
    response.on("error", () => undefined);
  });
  request.on("error", () => undefined);
  return {
    end() {
      request.destroy();
      return told;
    },
  };
}

export function viewersRows({ none, again, ten, seconds }) {
  const of = (turns, key) => turns.map((turn) => turn[key]);
  const noise = ratios(of(again, "tickMs"), of(none, "tickMs"));
  const withTen = ratios(of(ten, "tickMs"), of(again, "tickMs"));
  const limit = Math.max(...noise.map((ratio) => Math.abs(ratio - 1)));
  const cost = 100 * (median(of(ten, "cpuShare")) - median(of(again, "cpuShare")));
  return [
    {
      figure: `Length of a tick while ${VIEWERS} follow \`/api/events\`, of one while nobody does; turns of ${seconds} s, ${PROGRAMS} programs, a tick of each every ${POLL_SEC} s`,
      target: `as two turns without anybody differ (within ${(100 * limit).toFixed(0)}%)`,
      measured: spread(withTen),
      unit: "x",
      ok: Math.abs(median(withTen) - 1) <= limit,
    },
    {
      figure: `CPU that the daemon takes for them, ${PROGRAMS / POLL_SEC} ticks a second`,
      target: "< 2% of a core",
      value: cost,
      unit: "%",
      ok: cost < 2,
    },
  ];
}
