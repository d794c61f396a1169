// What the least costly plan would cost that knows every arrival and all the work in advance: a bound for anybody's cost.
//
// Work is a fluid that all serving workers share, stopping is free and at once, and a worker that starts is paid for its start-up. All
// of that makes it cheaper than life. Work has to be done by the time its message would be late, and cannot be done before it came.
// Where even the whole pool would be late, deadlines are put off to what it could have done by then. Dynamic programme over steps of
// a second: (workers that serve, work done so far); what is done so far lies between what had to be done and what has arrived.
import { scriptedSpeed, speedOf } from "effiqueue/simulate";

/** The memory of a state is 8 bytes, and there are two sets of them. */
const MOST_STATES = 4e6;

/** @returns worker-seconds */
export function cheapestPlan({ plant, sloSec, min, max, headroomBytes }, load) {
  const { slots, startupSec, initialWorkers, quietSec, memory, knee, speed } = plant;
  const fitting =
    memory === null ? max : Math.floor((memory.totalBytes - memory.otherBytes - headroomBytes) / memory.grownBytes);
  const most = Math.max(1, Math.min(max, fitting));
  const lengthSec = load.lengthSec + quietSec;
  const stepSec = Math.max(1, Math.ceil(lengthSec / 5400));
  const steps = Math.ceil(lengthSec / stepSec);
  const speeds = Array.from({ length: steps }, (_, k) => scriptedSpeed(speed, (k + 0.5) * stepSec));
  const rateOf = (workers) => workers * slots * speedOf(knee, workers * slots);
  const slowest = Math.min(...speeds) * speedOf(knee, most * slots);
  const lead = Math.ceil(startupSec / stepSec);
  const first = Math.min(most, Math.max(min, initialWorkers));

  const arrived = new Float64Array(steps + 1);
  const due = new Float64Array(steps + 1);
  for (let i = 0; i < load.work.length; i++) {
    const work = load.work[i];
    // Begun just in time, it is done when its own work is.
    const by = Math.ceil((load.arrivesAt[i] + sloSec + work / slowest) / stepSec);
    arrived[Math.min(steps, Math.floor(load.arrivesAt[i] / stepSec) + 1)] += work;
    due[Math.min(steps, by)] += work;
  }
  for (let k = 1; k <= steps; k++) {
    arrived[k] += arrived[k - 1];
    due[k] += due[k - 1];
  }
  due[steps] = arrived[steps];

  for (let quantum = slots * stepSec; ; quantum *= 1.5) {
    const grid = gridOf({ arrived, due, steps, most, min, first, lead, stepSec, quantum, speeds, rateOf });
    if (grid.widest * (most + 1) > MOST_STATES) continue;
    return solve(grid, { steps, most, min, first, lead, stepSec, startupSec });
  }
}

/** Everything in whole quanta of work; what rounding takes in one step it gives in the next. */
function gridOf({ arrived, due, steps, most, min, first, lead, stepSec, quantum, speeds, rateOf }) {
  const done = Array.from({ length: most + 1 }, (_, workers) => {
    const each = new Int32Array(steps + 1);
    let total = 0;
    let given = 0;
    for (let k = 1; k <= steps; k++) {
      total += (rateOf(workers) * speeds[k - 1] * stepSec) / quantum;
      each[k] = Math.round(total) - given;
      given += each[k];
    }
    return each;
  });
  const high = new Int32Array(steps + 1);
  const low = new Int32Array(steps + 1);
  const possible = new Int32Array(steps + 1);
  let widest = 1;
  for (let k = 1; k <= steps; k++) {
    const upTo = k <= lead ? first : most;
    let best = 0;
    for (let workers = min; workers <= upTo; workers++) best = Math.max(best, done[workers][k]);
    high[k] = Math.ceil(arrived[k] / quantum - 1e-9);
    possible[k] = Math.min(high[k], possible[k - 1] + best);
    low[k] = Math.max(low[k - 1], Math.min(Math.floor(due[k] / quantum + 1e-9), possible[k]));
    widest = Math.max(widest, high[k] - low[k] + 1);
  }
  return { done, high, low, widest };
}

function solve({ done, high, low, widest }, { steps, most, min, first, lead, stepSec, startupSec }) {
  const width = widest;
  let costs = Array.from({ length: most + 1 }, () => new Float64Array(width).fill(Number.POSITIVE_INFINITY));
  let next = costs.map(() => new Float64Array(width));
  costs[first][0] = 0;
  for (let k = 1; k <= steps; k++) {
    const states = high[k - 1] - low[k - 1] + 1;
    // Any number of workers more for a start-up each, any number less for nothing.
    for (let n = 1; n <= most; n++) {
      const [fewer, here] = [costs[n - 1], costs[n]];
      for (let w = 0; w < states; w++) if (fewer[w] + startupSec < here[w]) here[w] = fewer[w] + startupSec;
    }
    for (let n = most - 1; n >= 0; n--) {
      const [more, here] = [costs[n + 1], costs[n]];
      for (let w = 0; w < states; w++) if (more[w] < here[w]) here[w] = more[w];
    }
    const [base, top] = [low[k], high[k] - low[k]];
    for (let n = 0; n <= most; n++) {
      const [here, then] = [costs[n], next[n]];
      then.fill(Number.POSITIVE_INFINITY, 0, top + 1);
      if (n < min || (k <= lead && n > first)) continue;
      const shift = low[k - 1] + done[n][k] - base;
      for (let w = Math.max(0, -shift); w < states; w++) {
        const at = Math.min(top, w + shift);
        const cost = here[w] + n * stepSec;
        if (cost < then[at]) then[at] = cost;
      }
    }
    [costs, next] = [next, costs];
  }
  const top = high[steps] - low[steps];
  return Math.min(...costs.map((row) => Math.min(...row.subarray(0, top + 1))));
}
