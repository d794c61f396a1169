// Every policy on every workload, several realisations of each: how many keep the SLO, and what it costs beside the clairvoyant plan.
import { drawLoad, simulateController } from "effiqueue/simulate";
import { cheapestPlan } from "./bound.mjs";
import { constantPool, ours, YARDSTICKS } from "./yardsticks.mjs";

/** A run passes with at most so many late beyond what no pool could have avoided. */
export const ALLOWED = 0.01;

const runOf = (workload, load, controller, seed) => {
  const { plant, sloSec, max } = workload;
  const { score, lengthSec } = simulateController({ controller, load, plant, sloSec, maxWorkers: max, seed });
  return {
    controller: controller.name,
    late: score.lateShare,
    cost: score.workerSec,
    actions: score.actions,
    hours: lengthSec / 3600,
    overMemorySec: score.overMemorySec,
  };
};

/** @returns one entry for each policy on this workload and seed */
export function tryAll(workload, seed, policies = [ours, ...YARDSTICKS]) {
  const load = drawLoad(workload.trace, workload.plant.service, seed);
  const bound = cheapestPlan(workload, load);
  const pools = Array.from({ length: workload.max }, (_, i) => runOf(workload, load, constantPool(i + 1), seed));
  const unavoidable = Math.min(...pools.map(({ late }) => late));
  const judged = (run) => ({
    ...run,
    workload: workload.name,
    seed,
    passes: run.late <= unavoidable + ALLOWED,
    ratio: run.cost / bound,
  });
  const enough = pools.find(({ late }) => late <= unavoidable + ALLOWED);
  return [
    ...policies.map((make) => judged(runOf(workload, load, make(workload), seed))),
    judged({ ...enough, controller: "best constant pool, in hindsight" }),
  ];
}

export function summaryOf(runs) {
  const names = [...new Set(runs.map(({ controller }) => controller))];
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return names.map((name) => {
    const own = runs.filter(({ controller }) => controller === name);
    return {
      name,
      runs: own.length,
      passes: own.filter(({ passes }) => passes).length,
      frugal: own.filter(({ passes, ratio }) => passes && ratio <= 1.15).length,
      cost: Math.exp(mean(own.map(({ ratio }) => Math.log(ratio)))),
      late: mean(own.map(({ late }) => late)),
      actionsPerHour: mean(own.map(({ actions, hours }) => actions / hours)),
      overMemorySec: own.reduce((sum, { overMemorySec }) => sum + overMemorySec, 0),
    };
  });
}
