// How well the policy controls, in the simulator: against the policies of others, and against a plan that knows the future.
import { constant, simulate } from "effiqueue/simulate";
import { summaryOf, tryAll } from "../control/trial.mjs";
import { GENERATED, workloadsIn } from "../control/workloads.mjs";
import { programOf } from "../control/yardsticks.mjs";
import { spread } from "../lib/stats.mjs";

/** Of the runs with at most 1% late beyond what no pool avoids. */
const PASSING_SHARE = 65 / 69;
const COST = 1.1;
const ACTIONS_PER_HOUR = 120;
const HOUR_MS = 50;
const REVERSALS = 6;

export async function control({ seeds, hours, traces, say }) {
  const workloads = traces === undefined ? GENERATED : workloadsIn(traces);
  // First: what runs before it is compiled for more shapes than a program of its own would have.
  const hour = simulatedHour(hours);
  say(`control: a simulated hour takes ${hour.median.toFixed(1)} ms`);
  const runs = [];
  for (const workload of workloads) {
    for (let seed = 1; seed <= seeds; seed++) runs.push(...tryAll(workload, seed));
    const own = runs.filter((run) => run.workload === workload.name && run.controller === "effiqueue");
    say(
      `control: ${workload.name}: ${own.map(({ late, ratio }) => `${(100 * late).toFixed(2)}% late at ${ratio.toFixed(2)}`).join(", ")}`,
    );
  }
  return {
    seeds,
    workloads: workloads.map(({ name, about }) => ({ name, about })),
    summary: summaryOf(runs),
    runs: runs.filter(({ controller }) => controller === "effiqueue"),
    turns: turnsAtConstantLoad(seeds),
    hour,
  };
}

/** Turns an hour at loads that never change, from one worker's work to ten's; the first quarter of an hour, in which it settles, does not count. */
function turnsAtConstantLoad(seeds) {
  const [workload] = GENERATED;
  const program = programOf(workload);
  const settle = { lengthSec: 900 };
  const turns = Array.from({ length: 12 }, (_, i) => 1.7 * (i + 1)).flatMap((perSec) =>
    Array.from({ length: seeds }, (_, seed) => {
      const reversals = (lengthSec) =>
        simulate({
          program,
          trace: constant({ lengthSec }, { perSec }),
          plant: { ...workload.plant, quietSec: 0 },
          seed,
        }).score.reversals;
      // The same seed is the same run as far as the shorter one goes.
      return reversals(settle.lengthSec + 3600) - reversals(settle.lengthSec);
    }),
  );
  return { ...spread(turns), raw: turns };
}

/** Milliseconds of CPU of one hour of one program with 10 messages a second, its first runs, which are compiled, left out. */
function simulatedHour(hours) {
  const [workload] = GENERATED;
  const program = programOf(workload, { pollInterval: 10 });
  const trace = constant({ lengthSec: 3600 }, { perSec: 10 });
  const took = Array.from({ length: 2 * hours }, (_, i) => {
    const from = process.cpuUsage();
    simulate({ program, trace, plant: workload.plant, seed: i + 1 });
    const { user, system } = process.cpuUsage(from);
    return (user + system) / 1000;
  }).slice(hours);
  return { ...spread(took), raw: took };
}

export function controlRows({ summary, hour, turns }) {
  const ours = summary.find(({ name }) => name === "effiqueue");
  return [
    {
      figure: "CPU of one simulated hour of one program, 10 messages/s",
      target: `< ${HOUR_MS} ms`,
      measured: hour,
      unit: "ms",
      ok: hour.median < HOUR_MS,
    },
    {
      figure: "Runs with at most 1% late beyond what no pool avoids",
      target: `>= ${Math.ceil(PASSING_SHARE * ours.runs)} of ${ours.runs}`,
      text: `${ours.passes} of ${ours.runs}`,
      ok: ours.passes >= PASSING_SHARE * ours.runs,
    },
    {
      figure: "Cost, of a plan that knows the future (geometric mean)",
      target: `<= ${COST} x`,
      value: ours.cost,
      unit: "x",
      ok: ours.cost <= COST,
    },
    {
      figure: "Changes of the pool",
      target: `< ${ACTIONS_PER_HOUR} an hour`,
      value: ours.actionsPerHour,
      unit: "an hour",
      ok: ours.actionsPerHour < ACTIONS_PER_HOUR,
    },
    {
      figure: "Turns of direction in an hour of constant load, the most of any",
      target: `<= ${REVERSALS}`,
      text: `${turns.max} (median ${turns.median})`,
      ok: turns.max <= REVERSALS,
    },
    {
      figure: "Seconds with more memory in use than there is",
      target: "none",
      text: `${ours.overMemorySec} s`,
      ok: ours.overMemorySec === 0,
    },
  ];
}
