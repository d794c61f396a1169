// Enqueue: one per call and in batches, in short windows that go round the contenders, each beside bare SQLite.
import { newContext, openProducer, takesPart } from "../lib/field.mjs";
import { ratios, spread } from "../lib/stats.mjs";

const WINDOW_MS = 400;
const BATCHES = [100, 1000];

export async function enqueue({ root, servers, entrants, rounds, say }) {
  const lanes = [];
  for (const entrant of entrants.filter(takesPart("enqueue"))) {
    for (const durability of durabilities(entrant)) {
      const lane = await openProducer(entrant, newContext(root, servers, entrant, { durability }));
      lanes.push({ entrant, durability, lane, single: [], batched: new Map(BATCHES.map((size) => [size, []])) });
    }
  }
  // The first windows find cold code and an empty file; they are played, not counted.
  for (let round = -2; round < rounds; round++) {
    for (const { lane, single } of lanes) {
      const { calls, sec } = await lane.call("enqueueFor", WINDOW_MS);
      if (round >= 0) single.push(calls / sec);
    }
    for (const size of BATCHES) {
      for (const { lane, batched } of lanes) {
        const { calls, sec } = await lane.call("enqueueBatchesFor", WINDOW_MS / 2, size);
        if (round >= 0) batched.get(size).push((calls * size) / sec);
      }
    }
    say(`enqueue: round ${round + 1} of ${rounds}`);
  }
  for (const { lane } of lanes) await lane.close();
  return lanes.map(({ entrant, durability, single, batched }) => {
    const bare = lanes.find((other) => other.entrant.name === "bare" && other.durability === durability);
    const figure = (own, reference) => ({
      perSec: spread(own),
      ofBare: spread(ratios(own, reference)),
      raw: own.map(Math.round),
    });
    return {
      title: entrant.title,
      name: entrant.name,
      variant: entrant.variant,
      durability,
      single: figure(single, bare.single),
      batched: Object.fromEntries(BATCHES.map((size) => [size, figure(batched.get(size), bare.batched.get(size))])),
    };
  });
}

/** Only SQLite's products are asked for both; the servers' default and tuned settings are their own two. */
const durabilities = ({ name }) => (["bare", "flexiq", "plainjob"].includes(name) ? ["normal", "full"] : ["normal"]);

export function enqueueRows(results) {
  const rows = [];
  const of = (name, durability) => results.find((result) => result.name === name && result.durability === durability);
  for (const durability of ["normal", "full"]) {
    const { single, batched } = of("flexiq", durability);
    rows.push({
      figure: `Enqueue, one per call, durability ${durability}`,
      target: ">= 0.75 of a bare prepared INSERT",
      measured: single.ofBare,
      unit: "of bare",
      ok: single.ofBare.median >= 0.75,
    });
    for (const size of BATCHES) {
      const { ofBare } = batched[size];
      rows.push({
        figure: `Enqueue, ${size} per transaction, durability ${durability}`,
        target: ">= 0.6 of a bare multi-row transaction",
        measured: ofBare,
        unit: "of bare",
        ok: ofBare.median >= 0.6,
      });
    }
  }
  return rows;
}
