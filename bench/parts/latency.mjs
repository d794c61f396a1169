// From enqueue to start on an idle worker, and what the worker costs while it is idle.
import { newContext, notes, openProducer, openWorkers, takesPart } from "../lib/field.mjs";
import { cpuShares } from "../lib/proc.mjs";
import { quantile, spread } from "../lib/stats.mjs";
import { sleep, waitFor } from "../lib/wait.mjs";

const MIN_GAP_MS = 5;
const MAX_GAP_MS = 60;
const SETTLED_MS = 30_000;

export async function latency({ root, servers, entrants: all, rounds, samples, idleSec, say }) {
  const entrants = all.filter(takesPart("latency"));
  const field = entrants.map((entrant) => ({ entrant, ms: [], perRound: [] }));
  const perRound = Math.ceil(samples / rounds);
  for (let round = 0; round < rounds; round++) {
    for (const { entrant, ms, perRound: p50s } of field) {
      const fresh = await match(root, servers, entrant, perRound);
      ms.push(...fresh);
      p50s.push(quantile(fresh, 0.5));
      say(`latency: round ${round + 1} of ${rounds}, ${entrant.title}: p50 ${quantile(fresh, 0.5).toFixed(2)} ms`);
    }
  }
  const idle = await idleCost(root, servers, entrants, idleSec, say);
  return field.map(({ entrant, ms, perRound: p50s }, i) => ({
    title: entrant.title,
    name: entrant.name,
    variant: entrant.variant,
    samples: ms.length,
    p50: quantile(ms, 0.5),
    p50OfRounds: spread(p50s),
    p99: quantile(ms, 0.99),
    max: Math.max(...ms),
    idleCpu: idle[i],
  }));
}

async function match(root, servers, entrant, count) {
  const context = newContext(root, servers, entrant, { tasks: ["stamp"] });
  const producer = await openProducer(entrant, context);
  const [worker] = await openWorkers(entrant, context, 1);
  const WARM = 20;
  await producer.call("stampAtRandom", WARM + count, MIN_GAP_MS, MAX_GAP_MS);
  const samples = () => notes(context).filter(({ kind }) => kind === "sample");
  await waitFor(() => samples().length >= WARM + count, `the samples of ${entrant.title}`, { everyMs: 200 });
  worker.kill();
  await producer.close();
  return samples()
    .slice(WARM)
    .map(({ ms }) => ms);
}

/** All idle side by side: an idle worker that would disturb the others would show itself by it. */
async function idleCost(root, servers, entrants, seconds, say) {
  const workers = [];
  for (const entrant of entrants) {
    const context = newContext(root, servers, entrant, { tasks: ["stamp"] });
    const producer = await openProducer(entrant, context);
    const [worker] = await openWorkers(entrant, context, 1);
    // Idle after work, not idle before it: what a product starts with its first job counts too.
    await producer.call("stampAtRandom", 5, MIN_GAP_MS, MAX_GAP_MS);
    await producer.close();
    workers.push(worker);
  }
  say(`latency: idle for ${seconds} s`);
  // Past the garbage collections that follow the work of every one of them.
  await sleep(SETTLED_MS);
  const shares = await cpuShares(
    workers.map(({ pid }) => pid),
    seconds,
  );
  for (const worker of workers) worker.kill();
  return shares;
}

export function latencyRows(results) {
  return results
    .filter(({ name, variant }) => name === "flexiq" && variant === "default")
    .flatMap(({ p50, p99, samples, p50OfRounds, idleCpu }) => [
      {
        figure: `Enqueue to start on an idle worker, p50 of ${samples}`,
        target: "<= 1.5 ms",
        measured: { ...p50OfRounds, median: p50 },
        unit: "ms",
        ok: p50 <= 1.5,
      },
      {
        figure: `Enqueue to start on an idle worker, p99 of ${samples}`,
        target: "<= 10 ms",
        value: p99,
        unit: "ms",
        ok: p99 <= 10,
      },
      {
        figure: `CPU of an idle worker over ${Math.round(idleCpu.seconds)} s`,
        target: "< 0.3% of a core",
        value: 100 * (idleCpu.fine ?? idleCpu.stat),
        unit: "%",
        ok: (idleCpu.fine ?? idleCpu.stat) < 0.003,
      },
    ]);
}
