// The autoscaler as a process: what ten workers cost it, how fast it replaces one, how fast it starts fifty.
import { newContext, openProducer } from "../lib/field.mjs";
import { start, stop } from "../lib/lane.mjs";
import { alive, childrenOf, cpuShares, rssMb } from "../lib/proc.mjs";
import { spread } from "../lib/stats.mjs";
import { nowMs, sleep, waitFor } from "../lib/wait.mjs";

const POOL = 10;
const MORE = 50;
/** DESIGN 4.6: a worker that lived shorter counts as crashed. */
const MIN_UPTIME_MS = 10_500;
/** Past the garbage collections that follow a start. */
const SETTLED_MS = 3 * MIN_UPTIME_MS;
/** So that ticks are no part of what is measured. */
const SELDOM_SEC = 60;
/** Of the seed: jobs that ask for one worker. */
const DEPTH_PER_WORKER = 15;

async function openAutoscaler(root, servers, flexiq, flags) {
  const { APP, CLI, environment, registeredPids } = await import("../contenders/flexiq.mjs");
  const context = newContext(root, servers, flexiq);
  const producer = await openProducer(flexiq, context);
  const args = [CLI, "autoscale", "--app", APP, ...flags, "--drain-timeout", "5"];
  const child = start(process.execPath, args, { env: environment(context) });
  const serving = (count) =>
    waitFor(() => registeredPids(context).length === count, `${count} serving workers`, {
      timeoutMs: 120_000,
      everyMs: 100,
    });
  return { child, producer, serving };
}

export async function autoscaler({ root, servers, entrants, kills, idleSec, bursts, say }) {
  const flexiq = entrants.find(({ name, variant }) => name === "flexiq" && variant === "default");
  const quiet = await idleShare(root, servers, flexiq, { idleSec, pollSec: SELDOM_SEC, say });
  const steady = await steadyPool(root, servers, flexiq, { kills, idleSec, say });
  const burstMs = [];
  const bareMs = [];
  for (let i = 0; i < bursts; i++) {
    burstMs.push(await burst(root, servers, flexiq));
    bareMs.push(await bareLoop(root, servers, flexiq));
    say(
      `autoscaler: ${MORE} more workers in ${burstMs.at(-1).toFixed(0)} ms, by a bare loop in ${bareMs.at(-1).toFixed(0)} ms`,
    );
  }
  return {
    ...steady,
    quiet,
    burst: { ...spread(burstMs), raw: burstMs },
    bareLoop: { ...spread(bareMs), raw: bareMs },
  };
}

/** The same fifty commands started by nothing but `spawn` in a loop: what this machine allows at all. */
async function bareLoop(root, servers, flexiq) {
  const { workerCommand } = await import("../contenders/flexiq.mjs");
  const context = newContext(root, servers, flexiq);
  await (await openProducer(flexiq, context)).close();
  const { file, args, env } = workerCommand(context);
  const from = nowMs();
  const children = Array.from({ length: MORE }, () => start(file, args, { env, detached: true }));
  const tookMs = nowMs() - from;
  for (const child of children) child.kill("SIGKILL");
  await waitFor(() => !children.some(({ pid }) => alive(pid)), "the end of the bare loop's workers");
  return tookMs;
}

/** What it costs when it has next to nothing to decide. */
async function idleShare(root, servers, flexiq, { idleSec, pollSec, say }) {
  const flags = ["--min-workers", String(POOL), "--max-workers", String(POOL), "--poll-interval", String(pollSec)];
  const { child, producer, serving } = await openAutoscaler(root, servers, flexiq, flags);
  await serving(POOL);
  await sleep(SETTLED_MS);
  const [cpu] = await cpuShares([child.pid], idleSec);
  say(`autoscaler: idle with ${POOL} workers and a poll each ${pollSec} s ${JSON.stringify(cpu)}`);
  await producer.close();
  await stop(child, "SIGTERM", 20_000);
  return cpu;
}

async function steadyPool(root, servers, flexiq, { kills, idleSec, say }) {
  const flags = ["--min-workers", String(POOL), "--max-workers", String(POOL)];
  const { child, producer, serving } = await openAutoscaler(root, servers, flexiq, flags);
  await serving(POOL);
  await sleep(SETTLED_MS);
  const [cpu] = await cpuShares([child.pid], idleSec);
  const rss = rssMb(child.pid);
  say(`autoscaler: idle with ${POOL} workers ${JSON.stringify(cpu)}, ${rss.toFixed(1)} MB`);
  const replaced = [];
  while (replaced.length < kills) {
    // Each of them once, then all of them grow old enough again.
    for (const pid of childrenOf(child.pid)) {
      replaced.push(await killAndWatch(child.pid, pid));
      await serving(POOL);
    }
    await sleep(MIN_UPTIME_MS);
  }
  say(`autoscaler: replaced after ${JSON.stringify(spread(replaced))}`);
  await producer.close();
  await stop(child, "SIGTERM", 20_000);
  return { cpu, rssMb: rss, replaced: { ...spread(replaced), raw: replaced } };
}

/** Milliseconds from the kill of one worker to the first sight of its successor among the autoscaler's children. */
async function killAndWatch(autoscalerPid, pid) {
  const before = new Set(childrenOf(autoscalerPid));
  const killedAt = nowMs();
  process.kill(pid, "SIGKILL");
  await waitFor(() => childrenOf(autoscalerPid).some((child) => !before.has(child)), "a successor", { everyMs: 1 });
  return nowMs() - killedAt;
}

/** Milliseconds from the first of fifty new children to the last; the decision lies within a millisecond before the first. */
async function burst(root, servers, flexiq) {
  const flags = ["--min-workers", String(POOL), "--max-workers", String(POOL + MORE), "--poll-interval", "1"];
  const { child, producer, serving } = await openAutoscaler(root, servers, flexiq, flags);
  await serving(POOL);
  const before = childrenOf(child.pid).length;
  // So many that what the ten work off before the next poll does not matter: each holds its slot.
  const holds = Array.from({ length: (POOL + MORE) * DEPTH_PER_WORKER + POOL * 4 }, (_, id) => ({ id }));
  await producer.call("enqueueMany", "hold", holds);
  const seen = (count) =>
    waitFor(() => childrenOf(child.pid).length >= before + count, `${count} more workers`, { everyMs: 1 });
  await seen(1);
  const from = nowMs();
  await seen(MORE);
  const tookMs = nowMs() - from;
  const workers = childrenOf(child.pid);
  await producer.close();
  await stop(child, "SIGTERM", 20_000);
  await waitFor(() => !workers.some(alive), "the workers' end");
  return tookMs;
}

export function autoscalerRows({ cpu, quiet, rssMb: rss, replaced, burst: more, bareLoop: bare }) {
  const share = (cpu) => cpu.fine ?? cpu.stat;
  return [
    {
      figure: `CPU of the autoscaler with ${POOL} idle workers over ${Math.round(quiet.seconds)} s, between ticks (with a tick each 5 s: ${(100 * share(cpu)).toFixed(2)}%)`,
      target: "< 0.1% of a core",
      value: 100 * share(quiet),
      unit: "%",
      ok: share(quiet) < 0.001,
    },
    {
      figure: `Memory (RSS) of the autoscaler with ${POOL} workers`,
      target: "< 75 MB",
      value: rss,
      unit: "MB",
      ok: rss < 75,
    },
    {
      figure: `A dead worker's successor is spawned, ${replaced.rounds} kills`,
      target: "< 25 ms",
      measured: replaced,
      unit: "ms",
      ok: replaced.median < 25,
    },
    {
      figure: `${MORE} more workers on a running autoscaler (a bare loop of spawn: ${Math.round(bare.median)} ms)`,
      target: "< 600 ms",
      measured: more,
      unit: "ms",
      ok: more.median < 600,
    },
  ];
}
