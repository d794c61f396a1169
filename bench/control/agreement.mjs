// Whether another simulator, written by others for the same purpose, comes to the same scores: the same policy on the same messages.
// Of a control bench that is kept elsewhere (lib/workload.mjs, lib/plant.mjs, traces/); without one there is nothing to compare with.
//
//   node bench/control/agreement.mjs --bench FOLDER [--seeds 3]
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { simulateController } from "effiqueue/simulate";
import { workloadsIn } from "./workloads.mjs";
import { ours } from "./yardsticks.mjs";

const { values: flags } = parseArgs({
  options: { bench: { type: "string" }, seeds: { type: "string", default: "3" } },
});
if (flags.bench === undefined || !existsSync(join(flags.bench, "lib/plant.mjs"))) {
  console.log("skipped: name the folder of a control bench, --bench FOLDER");
  process.exit();
}
const load = (file) => import(pathToFileURL(join(resolve(flags.bench), file)).href);
const [{ loadWorkload, realise }, { simulate }, { score }] = await Promise.all(
  ["lib/workload.mjs", "lib/plant.mjs", "lib/score.mjs"].map(load),
);
const traces = join(flags.bench, "traces/open");

/** The same policy under the other simulator's names for what it sees. */
function translated(controller) {
  return {
    pollInterval: controller.pollSec,
    source: "mgmt",
    stopOrder: controller.stops,
    decide: (seen) => {
      const queue =
        seen.ready === null
          ? null
          : {
              ready: seen.ready,
              unacked: seen.unacked,
              ackedTotal: seen.ackTotal,
              publishedTotal: seen.publishTotal,
              ackRate: seen.ackRate,
              publishRate: seen.publishRate,
              consumers: seen.readyWorkers * seen.concurrency,
            };
      const memory =
        seen.memoryTotalBytes === null
          ? {}
          : {
              memory: {
                totalBytes: seen.memoryTotalBytes,
                usedBytes: seen.memoryUsedBytes,
                poolBytes: seen.workerRssMeanBytes * seen.workers,
                largestWorkerBytes: seen.workerRssBytes,
                swapUsedBytes: seen.swapUsedBytes,
                swapTotalBytes: seen.swapTotalBytes,
              },
            };
      const observation = {
        dtSec: seen.dt,
        queue,
        workers: { starting: seen.startingWorkers, serving: seen.readyWorkers, draining: seen.drainingWorkers },
        interference: seen.crashedWorkers > 0,
        ...memory,
      };
      return controller.decide({ atSec: seen.t, observation }).desired;
    },
  };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
const reach = (values) => Math.max(...values) - Math.min(...values);
const seeds = Array.from({ length: Number(flags.seeds) }, (_, i) => i + 1);
const rows = [];
for (const workload of workloadsIn(traces)) {
  const theirs = loadWorkload(join(traces, `${workload.name}.json`));
  const runs = seeds.map((seed) => {
    const { at: arrivesAt, work } = realise(theirs, seed);
    const there = score(
      theirs,
      { at: arrivesAt, work, n: work.length },
      simulate(theirs, { at: arrivesAt, work, n: work.length }, translated(ours(workload)), { seed }),
    );
    const here = simulateController({
      controller: { ...ours(workload), wakes: false },
      load: { arrivesAt, work, lengthSec: theirs.T0 },
      plant: workload.plant,
      sloSec: workload.sloSec,
      maxWorkers: workload.max,
      seed,
    }).score;
    return { late: [there.missWait, here.lateShare], cost: [there.cost, here.workerSec] };
  });
  const of = (key, i) => runs.map((run) => run[key][i]);
  const row = { workload: workload.name };
  for (const key of ["late", "cost"]) {
    const [there, here] = [of(key, 0), of(key, 1)];
    row[key] = { there: mean(there), here: mean(here), spread: Math.max(reach(there), reach(here)) };
  }
  rows.push(row);
}

/** Chance that no seed shares (start-up, phase of the samples) moves a score by this much even where the seeds happen to agree. */
const agrees = ({ late, cost }) =>
  Math.abs(late.here - late.there) <= Math.max(0.01, late.spread) &&
  Math.abs(cost.here - cost.there) <= Math.max(0.03 * cost.there, cost.spread);

console.log("workload          late there  here  spread    worker-seconds there   here  spread");
for (const row of rows) {
  const { workload, late, cost } = row;
  const percent = [late.there, late.here, late.spread]
    .map((value) => `${(100 * value).toFixed(2)}%`.padStart(7))
    .join(" ");
  const seconds = [cost.there, cost.here, cost.spread].map((value) => value.toFixed(0).padStart(7)).join(" ");
  console.log(`${workload.padEnd(18)} ${percent}              ${seconds}   ${agrees(row) ? "agree" : "DIFFER"}`);
}
const ratio = Math.exp(mean(rows.map(({ cost }) => Math.log(cost.here / cost.there))));
const late = mean(rows.map((row) => row.late.here - row.late.there));
console.log(
  `\n${rows.filter(agrees).length} of ${rows.length} agree; cost here is ${ratio.toFixed(3)} of there, late ${(100 * late).toFixed(2)} points more`,
);
process.exitCode = rows.every(agrees) ? 0 : 1;
