// Scaling: what four worker processes drain against one. SQLite has one writer at a time, so the question is not how much is gained but
// whether anything is lost. Both sides have a deep backlog of their own and take turns of half a second, the other side stopped meanwhile:
// what else the machine does changes within seconds, and by more than what is asked here.
import { newContext, openProducer, openWorkers } from "../lib/field.mjs";
import { ratios, spread } from "../lib/stats.mjs";
import { nowMs, sleep } from "../lib/wait.mjs";

const TURN_MS = 500;
const FILL_AT_ONCE = 100_000;
/** For each worker: so long does it get faster, and each of four has done a quarter of what the one has. */
const WARM_JOBS = 100_000;
const WARM_WITHIN_MS = 60_000;

export async function scaling({ root, servers, entrants, pairs, jobs, say }) {
  const results = [];
  for (const entrant of entrants.filter(({ name }) => name === "flexiq" || name === "bare")) {
    const sides = [await openSide(root, servers, entrant, 1, jobs), await openSide(root, servers, entrant, 4, jobs)];
    const [ones, fours] = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      const perSec = [];
      // Each goes first as often as the other.
      for (const side of pair % 2 === 0 ? [0, 1] : [1, 0]) perSec[side] = await sides[side].turn();
      ones.push(perSec[0]);
      fours.push(perSec[1]);
    }
    for (const side of sides) await side.close();
    const { title, name } = entrant;
    results.push({ title, name, fourToOne: spread(ratios(fours, ones)), one: spread(ones), four: spread(fours) });
    say(`scaling: ${title}: ${JSON.stringify(results.at(-1).fourToOne)}`);
  }
  return results;
}

/** Warm workers on a backlog of their own, stopped between their turns. Nobody else writes then: one of them may have been stopped with the lock. */
async function openSide(root, servers, entrant, count, jobs) {
  const context = newContext(root, servers, entrant);
  const producer = await openProducer(entrant, context);
  const workers = await openWorkers(entrant, context, count);
  for (let warm = 0; warm < count; warm++) await producer.call("fill", WARM_JOBS, 1);
  await producer.call("drained", WARM_WITHIN_MS, 20);
  for (let filled = 0; filled < jobs; filled += FILL_AT_ONCE) await producer.call("fill", FILL_AT_ONCE, 2);
  const signal = (name) => workers.forEach(({ pid }) => process.kill(pid, name));
  signal("SIGSTOP");
  let left = await producer.call("left");
  return {
    /** @returns jobs finished per second */
    async turn() {
      const [before, from] = [left, nowMs()];
      signal("SIGCONT");
      await sleep(TURN_MS);
      signal("SIGSTOP");
      const sec = (nowMs() - from) / 1000;
      left = await producer.call("left");
      if (left === 0) throw new Error(`${entrant.title}: nothing left of ${jobs} jobs, it needs more`);
      return (before - left) / sec;
    },
    async close() {
      for (const worker of workers) worker.kill();
      await producer.close();
    },
  };
}

export function scalingRows(results) {
  return results
    .filter(({ name }) => name === "flexiq")
    .map(({ title, fourToOne }) => ({
      figure: `Drain, ${title}: four workers against one, ${fourToOne.rounds} pairs of turns`,
      target: ">= 1",
      measured: fourToOne,
      unit: "x",
      ok: fourToOne.median >= 1,
    }));
}
