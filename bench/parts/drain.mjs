// Drain: how fast one and four worker processes work off a deep backlog of no-ops.
import { newContext, notes, openProducer, openWorkers, takesPart } from "../lib/field.mjs";
import { ratios, spread } from "../lib/stats.mjs";
import { sleep } from "../lib/wait.mjs";

const WORKERS = [1, 4];
const LIMIT_MS = 5000;

export async function drain({ root, servers, entrants, rounds, jobs, say }) {
  const field = entrants
    .filter(takesPart("drain"))
    .map((entrant) => ({ entrant, perSec: new Map(WORKERS.map((count) => [count, []])) }));
  for (let round = 0; round < rounds; round++) {
    for (const count of WORKERS) {
      for (const { entrant, perSec } of field) {
        const rate = await match(root, servers, entrant, count, jobs);
        perSec.get(count).push(rate);
        say(`drain: round ${round + 1} of ${rounds}, ${count} workers, ${entrant.title}: ${Math.round(rate)}/s`);
      }
    }
  }
  const bareOf = (variant, count) =>
    field.find(({ entrant }) => entrant.name === "bare" && entrant.variant === variant).perSec.get(count);
  return field.map(({ entrant, perSec }) => ({
    title: entrant.title,
    name: entrant.name,
    variant: entrant.variant,
    workers: Object.fromEntries(
      WORKERS.map((count) => [
        count,
        {
          perSec: spread(perSec.get(count)),
          // Batches of the same size: as many jobs as a worker has slots.
          ofBare: spread(ratios(perSec.get(count), bareOf(entrant.variant, count))),
          raw: perSec.get(count).map(Math.round),
        },
      ]),
    ),
  }));
}

/** Jobs per second from the first handler's start until nothing was left, or until the limit. */
export async function match(root, servers, entrant, count, jobs) {
  const context = newContext(root, servers, entrant);
  const producer = await openProducer(entrant, context);
  const workers = await openWorkers(entrant, context, count);
  // Warm code and open connections on all sides: for each worker about a second of work, as fast as it is.
  await producer.call("fill", entrant.warmUp * count, 1);
  await producer.call("drained", 2 * LIMIT_MS, 20);
  await sleep(300);
  await producer.call("fill", jobs, 2);
  const { at, left } = await producer.call("drained", LIMIT_MS, 20);
  for (const worker of workers) worker.kill();
  await producer.close();
  const starts = notes(context).filter(({ kind, batch }) => kind === "first" && batch === 2);
  // Nothing of the batch begun within the limit: a poll that was not due yet, or a warm-up not over.
  if (starts.length === 0) return 0;
  return (jobs - left) / ((at - Math.min(...starts.map((start) => start.at))) / 1000);
}

/** Like with like: default settings among each other, and the best of each among each other. */
export function drainRows(results) {
  const flexiq = results.filter(({ name }) => name === "flexiq");
  const peers = results.filter(({ name }) => name !== "flexiq" && name !== "bare");
  const rows = [];
  for (const count of WORKERS) {
    for (const { title, variant, workers } of flexiq) {
      const rivals = peers.filter((peer) => peer.variant === variant);
      if (rivals.length > 0) rows.push(againstPeers(count, title, variant, workers, rivals));
      rows.push({
        figure: `Drain, ${workersOf(count)}, ${title}: against bare batches of the same size`,
        target: ">= 0.4",
        measured: workers[count].ofBare,
        unit: "of bare",
        ok: workers[count].ofBare.median >= 0.4,
      });
    }
  }
  return rows;
}

function againstPeers(count, title, variant, workers, rivals) {
  const best = rivals.reduce((a, b) => (a.workers[count].perSec.median >= b.workers[count].perSec.median ? a : b));
  const lead = spread(ratios(workers[count].raw, best.workers[count].raw));
  const among = variant === "default" ? "the fastest peer with default settings" : "the fastest peer, tuned";
  return {
    figure: `Drain, ${workersOf(count)}, ${title}: against ${among} (${best.title})`,
    target: "> 1",
    measured: lead,
    unit: "x",
    ok: lead.median > 1,
  };
}

const workersOf = (count) => (count === 1 ? "1 worker" : `${count} workers`);
