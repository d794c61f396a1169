// A worker is SIGKILLed while its slots are full: how long until each of its jobs has started again somewhere else.

import { newContext, notes, openProducer, openWorkers } from "../lib/field.mjs";
import { start, stop } from "../lib/lane.mjs";
import { spread } from "../lib/stats.mjs";
import { nowMs, sleep, waitFor } from "../lib/wait.mjs";

const JOBS = 4;
/** A worker that lived shorter counts as crashed (DESIGN 4.6), and spawning would pause after three of them. */
const MIN_UPTIME_MS = 10_500;

const startsAfter = (context, at) => notes(context).filter(({ kind, at: started }) => kind === "start" && started > at);

/** Milliseconds from the kill to the last of the jobs' new starts. */
async function killAndWatch(context, pid) {
  const killedAt = nowMs();
  process.kill(pid, "SIGKILL");
  const restarts = await waitFor(() => {
    const starts = startsAfter(context, killedAt);
    return new Set(starts.map(({ id }) => id)).size === JOBS && starts;
  }, "the killed worker's jobs");
  return { ms: Math.max(...restarts.map(({ at }) => at)) - killedAt, pid: restarts[0].pid };
}

async function holdJobs(root, servers, flexiq) {
  const context = newContext(root, servers, flexiq);
  const producer = await openProducer(flexiq, context);
  await producer.call(
    "enqueueMany",
    "hold",
    Array.from({ length: JOBS }, (_, id) => ({ id })),
  );
  await producer.close();
  return context;
}

const allHeld = (context) => waitFor(() => startsAfter(context, 0).length >= JOBS, "the first start of the jobs");

export async function recovery({ root, servers, entrants, kills, respawns, say }) {
  const flexiq = entrants.find(({ name, variant }) => name === "flexiq" && variant === "default");
  const beside = await besideAnotherWorker(root, servers, flexiq, kills);
  say(`recovery: beside another worker ${JSON.stringify(spread(beside))}`);
  const alone = await underTheAutoscaler(root, servers, flexiq, respawns);
  say(`recovery: under the autoscaler alone ${JSON.stringify(spread(alone))}`);
  return { beside: { ...spread(beside), raw: beside }, alone: { ...spread(alone), raw: alone } };
}

async function besideAnotherWorker(root, servers, flexiq, kills) {
  const context = await holdJobs(root, servers, flexiq);
  let [holder] = await openWorkers(flexiq, context, 1);
  await allHeld(context);
  const ms = [];
  for (let i = 0; i < kills; i++) {
    const [other] = await openWorkers(flexiq, context, 1);
    await sleep(Math.random() * 500);
    ms.push((await killAndWatch(context, holder.pid)).ms);
    holder = other;
  }
  holder.kill();
  return ms;
}

async function underTheAutoscaler(root, servers, flexiq, respawns) {
  const { APP, CLI, environment } = await import("../contenders/flexiq.mjs");
  const context = await holdJobs(root, servers, flexiq);
  const pool = ["--min-workers", "1", "--max-workers", "1", "--drain-timeout", "1"];
  const args = [CLI, "autoscale", "--app", APP, ...pool];
  const autoscaler = start(process.execPath, args, { env: environment(context) });
  await allHeld(context);
  let { pid } = startsAfter(context, 0)[0];
  const ms = [];
  for (let i = 0; i < respawns; i++) {
    await sleep(MIN_UPTIME_MS);
    const restart = await killAndWatch(context, pid);
    ms.push(restart.ms);
    pid = restart.pid;
  }
  await stop(autoscaler, "SIGTERM", 20_000);
  return ms;
}

export function recoveryRows({ beside, alone }) {
  return [
    {
      figure: "A SIGKILLed worker's jobs start again, other workers alive",
      target: "< 1 s",
      measured: beside,
      unit: "ms",
      ok: beside.max < 1000,
    },
    {
      figure: "A SIGKILLed worker's jobs start again, only the autoscaler alive",
      target: "< 1 s",
      measured: alone,
      unit: "ms",
      ok: alone.max < 1000,
    },
  ];
}
