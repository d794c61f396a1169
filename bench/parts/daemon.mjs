// `effiqueue run` on a real broker: what a tick costs it, what it costs between ticks, and how soon it has a worker.
// Workers are `sleep`, so that what is measured is the daemon and not what it manages.
import { openDaemon, withBroker } from "../lib/daemon.mjs";
import { cpuShares, rssMb } from "../lib/proc.mjs";
import { spread } from "../lib/stats.mjs";
import { nowMs, sleep } from "../lib/wait.mjs";

const PROGRAMS = 20;
const WORKERS_EACH = 10;
/** Short enough for many ticks, long enough that one is over when the next is due. */
const TICK_SEC = 2;
/** The default. */
const POLL_SEC = 10;
const SOAK_POLL_SEC = 0.1;
/** Past what is loaded late, the garbage collections that follow a start, and the compiler, which is busy for as long. */
const SETTLED_SEC = 60;
/** What is kept of the last decisions, and how much of a freed heap goes back to the system, differ by less than this. */
const STEADY_MB = 3;

export function daemon({ root, tickSec, idleSec, starts, say }) {
  return withBroker(root, async (broker) => {
    const firstWorker = [];
    for (let i = 0; i < starts; i++) firstWorker.push(await timeToFirstWorker(root, broker));
    say(`daemon: first worker after ${JSON.stringify(spread(firstWorker))}`);
    const tick = await costOfTick(root, broker, tickSec);
    say(`daemon: a tick of ${PROGRAMS} programs takes ${tick.cpuMs.toFixed(1)} ms of CPU`);
    const idle = await idlePool(root, broker, idleSec);
    say(`daemon: idle ${JSON.stringify(idle.cpu)}, ${idle.rssMb.toFixed(1)} MB`);
    return { firstWorker: { ...spread(firstWorker), raw: firstWorker }, tick, idle };
  });
}

export const soak = ({ root, warmUpSec, seconds, say }) =>
  withBroker(root, (broker) => soakFor(root, broker, { warmUpSec, seconds, say }));

/** Milliseconds from the spawn of the daemon to the first sight of a child. */
async function timeToFirstWorker(root, broker) {
  const { from, grown, close } = await openDaemon(root, broker, { programs: 1, workers: 1, pollSec: POLL_SEC });
  await grown(1);
  const tookMs = nowMs() - from;
  await close();
  return tookMs;
}

/** All that the daemon uses, divided by its ticks: what it does between them is on their account. */
async function costOfTick(root, broker, seconds) {
  const size = { programs: PROGRAMS, workers: WORKERS_EACH, pollSec: TICK_SEC };
  const { child, grown, close } = await openDaemon(root, broker, size);
  await grown(PROGRAMS * WORKERS_EACH);
  await sleep(SETTLED_SEC * 1000);
  const [cpu] = await cpuShares([child.pid], seconds);
  const rss = rssMb(child.pid);
  await close();
  return { cpuMs: 1000 * shareOf(cpu) * TICK_SEC, rssMb: rss, ticks: Math.round(cpu.seconds / TICK_SEC) };
}

async function idlePool(root, broker, seconds) {
  const { child, grown, close } = await openDaemon(root, broker, { programs: 1, workers: 10, pollSec: POLL_SEC });
  await grown(10);
  await sleep(SETTLED_SEC * 1000);
  const [cpu] = await cpuShares([child.pid], seconds);
  const rss = rssMb(child.pid);
  await close();
  return { cpu, rssMb: rss };
}

/**
 * The first thousands of ticks fill the memory that a daemon lives in: code is compiled, and the space for old objects grows to its first full
 * collection. What grows after that would never end. A heap grows until it is collected: what stays is seen in the least of each half.
 */
async function soakFor(root, broker, { warmUpSec, seconds, say }) {
  const { child, grown, close } = await openDaemon(root, broker, { programs: 1, workers: 10, pollSec: SOAK_POLL_SEC });
  await grown(10);
  const minutes = [];
  for (let minute = 0; minute < (warmUpSec + seconds) / 60; minute++) {
    const samples = [];
    for (let second = 0; second < 60; second++) {
      await sleep(1000);
      samples.push(rssMb(child.pid));
    }
    minutes.push({ least: Math.min(...samples), most: Math.max(...samples) });
  }
  await close();
  const least = (list) => Math.min(...list.map((each) => each.least));
  const warm = minutes.splice(0, warmUpSec / 60);
  const half = Math.ceil(minutes.length / 2);
  const growthMb = least(minutes.slice(half)) - least(minutes.slice(0, half));
  const shown = (list) => list.map((each) => `${each.least.toFixed(0)}-${each.most.toFixed(0)}`).join(" ");
  say(`daemon: RSS by minutes ${shown(warm)}, then ${shown(minutes)}`);
  const ticksOf = (sec) => Math.round(sec / SOAK_POLL_SEC);
  return { warm, minutes, growthMb, warmUpTicks: ticksOf(warmUpSec), ticks: ticksOf(seconds) };
}

const shareOf = ({ fine, stat }) => fine ?? stat;

export function daemonRows({ firstWorker, tick, idle }) {
  return [
    {
      figure: `CPU of one tick of the daemon with ${PROGRAMS} programs and ${PROGRAMS * WORKERS_EACH} workers, their memory scanned, mean of ${tick.ticks}`,
      target: "< 50 ms",
      value: tick.cpuMs,
      unit: "ms",
      ok: tick.cpuMs < 50,
    },
    {
      figure: `CPU of the daemon with 10 workers at a poll each ${POLL_SEC} s, over ${Math.round(idle.cpu.seconds)} s`,
      target: "< 0.2% of a core",
      value: 100 * shareOf(idle.cpu),
      unit: "%",
      ok: shareOf(idle.cpu) < 0.002,
    },
    {
      figure: "Memory (RSS) of the daemon with 10 workers",
      target: "< 80 MB",
      value: idle.rssMb,
      unit: "MB",
      ok: idle.rssMb < 80,
    },
    {
      figure: `From the start of \`effiqueue run\` to its first worker, ${firstWorker.rounds} starts`,
      target: "< 400 ms",
      measured: firstWorker,
      unit: "ms",
      ok: firstWorker.median < 400,
    },
  ];
}

export function soakRows({ warm, minutes, growthMb, warmUpTicks, ticks }) {
  const inWords = (count) => count.toLocaleString("en-US");
  return [
    {
      figure: `Growth of the daemon's memory over ${inWords(ticks)} ticks in ${minutes.length} minutes, after ${inWords(warmUpTicks)} to warm up`,
      target: `none (< ${STEADY_MB} MB)`,
      text: `${growthMb.toFixed(1)} MB; from ${warm[0].least.toFixed(0)} to ${warm.at(-1).most.toFixed(0)} MB before`,
      ok: growthMb < STEADY_MB,
    },
  ];
}
