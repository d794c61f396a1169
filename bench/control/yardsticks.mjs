// Whom we are compared with, each written from what its documentation says it does, with its default settings. All see the queue at its
// best: exact depths, at once; whoever needs a rate of its own gets the true one. Start-up and stopping are the plant's, for all alike.

import { programConfig } from "effiqueue/decide";
import { programController } from "effiqueue/simulate";

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const pool = ({ workers }) => workers.starting + workers.serving;

const seeing = (name, pollSec, decide, more = {}) => ({
  name,
  pollSec,
  sight: "counts",
  stops: "newest",
  wakes: false,
  decide: (view) => ({ desired: decide(view.observation, view) }),
  ...more,
});

export const programOf = ({ sloSec, min, max, headroomBytes, plant }, options = {}) =>
  programConfig({
    command: "worker",
    queueConnection: "amqp://localhost",
    queueName: "q",
    minWorkers: min,
    maxWorkers: max,
    sloDrainTime: sloSec,
    drainTimeout: plant.drainTimeoutSec,
    ramHeadroom: headroomBytes,
    pollInterval: 2,
    ...options,
  });

/** What this project ships. */
export const ours = (workload) => programController(programOf(workload), "effiqueue");

/**
 * The Kubernetes HPA on queue length per replica, as KEDA feeds it: a look each 15 s, a tolerance of a tenth, growth by the
 * larger of four and the double, and after it the highest wish of five minutes. From and to zero KEDA itself decides.
 */
function hpaRatio({ min, max, sloSec, plant }, perReplica, name) {
  const target = perReplica ?? Math.max(1, (plant.slots / plant.service.meanSec) * (sloSec / 2));
  let wishes = [];
  let lastBusySec = 0;
  return seeing(name, 15, (seen, { atSec }) => {
    const current = pool(seen);
    if (seen.queue === null) return current;
    const backlog = seen.queue.ready + seen.queue.unacked;
    if (backlog > 0) lastBusySec = atSec;
    if (current === 0) return backlog > 0 ? Math.max(1, min) : 0;
    if (min === 0 && atSec - lastBusySec > 300) return 0;
    const ratio = backlog / (target * current);
    const wish = Math.abs(ratio - 1) <= 0.1 ? current : Math.ceil(backlog / target);
    wishes = [...wishes.filter((past) => past.atSec > atSec - 300), { atSec, wish }];
    const held = wish < current ? Math.min(current, Math.max(...wishes.map((past) => past.wish))) : wish;
    return clamp(Math.min(held, Math.max(current + 4, 2 * current)), Math.max(1, min), max);
  });
}

/** Celery's autoscaler: as many processes as messages are reserved, growth at once, shrinking by idle ones, half a minute after growth. */
function celeryLike({ min, max, plant }) {
  let grewAtSec = Number.NEGATIVE_INFINITY;
  const reserve = 4 * max * plant.slots;
  return seeing(
    "Celery autoscale",
    1,
    (seen, { atSec }) => {
      const current = pool(seen);
      if (seen.queue === null) return current;
      const wanted = Math.ceil(Math.min(seen.queue.ready + seen.queue.unacked, reserve) / plant.slots);
      if (wanted > current) {
        grewAtSec = atSec;
        return Math.min(wanted, max);
      }
      return atSec - grewAtSec > 30 ? Math.min(current, Math.max(wanted, min)) : current;
    },
    { stops: "idle" },
  );
}

/** Horizon with balance auto: of one queue all processes as soon as anything waits, none beyond the least when nothing does, one each three seconds. */
const horizonLike = ({ min, max }) =>
  seeing("Horizon auto", 3, (seen) => {
    const current = pool(seen);
    if (seen.queue === null) return current;
    const goal = seen.queue.ready > 0 ? max : min;
    const all = current + seen.workers.draining;
    return goal > all ? current + 1 : goal < all ? Math.max(min, current - 1) : current;
  });

/**
 * laravel-queue-autoscale: Little's law on the arrival rate that throughput and depth tell, a fifth on top, and a drain term that
 * wakes at half the SLO and grows with the age of the oldest job. One worker less at a time, and no turn within a minute.
 */
function littleLike({ min, max, sloSec, plant }) {
  let before = null;
  let lastTurn = { way: 0, atSec: Number.NEGATIVE_INFINITY };
  return seeing("laravel-queue-autoscale", 5, (seen, { atSec, jobs }) => {
    const current = pool(seen);
    if (seen.queue === null) return current;
    const { ready } = seen.queue;
    const { finishedPerSec, meanSec, oldestAgeSec } = jobs();
    const perJobSec = (meanSec ?? 2) / plant.slots;
    const growth = before === null ? 0 : (ready - before.ready) / (atSec - before.atSec);
    before = { ready, atSec };
    const lambda = Math.max(0, finishedPerSec + growth);
    const urgency = Math.min(1.5, oldestAgeSec / sloSec);
    const leftSec = Math.max(0.1, sloSec - oldestAgeSec);
    const drain = urgency < 0.5 ? 0 : ((ready * perJobSec) / leftSec) * Math.min(5, 1 + 8 * (urgency - 0.5) ** 2);
    const wish = clamp(Math.ceil(Math.max(1.2 * lambda * perJobSec, drain)), min, max);
    const way = Math.sign(wish - current);
    if (way === 0 || (way === -lastTurn.way && atSec - lastTurn.atSec < 60)) return current;
    lastTurn = { way, atSec };
    return way < 0 ? current - 1 : wish;
  });
}

/** The first effiQueue: acknowledgements per worker as mu whatever the queue holds, its formula, one worker at a time with a dead zone and a cooldown. */
function firstLaw({ min, max, sloSec }) {
  let mu = null;
  let lambda = null;
  let sinceChange = 9;
  const smooth = (old, value) => (old === null ? value : old + 0.3 * (value - old));
  return seeing(
    "first effiQueue",
    10,
    (seen) => {
      const current = pool(seen);
      sinceChange += 1;
      const { queue } = seen;
      if (queue?.ackRate > 0 && current > 0) mu = smooth(mu, queue.ackRate / current);
      if (queue?.publishRate !== undefined) lambda = smooth(lambda, queue.publishRate);
      if (queue === null) return current;
      const backlog = queue.ready + queue.unacked;
      const needed = mu === null || current === 0 ? null : Math.ceil((backlog + lambda * sloSec) / (mu * sloSec));
      const target = clamp(needed ?? (backlog > 0 ? current + 2 : min), min, max);
      const isSpike = backlog > 1000 && target > current;
      const isNear = needed !== null && Math.abs(target - current) <= 1;
      if (isNear || (sinceChange < 2 && !isSpike) || target === current) return current;
      sinceChange = 0;
      return current + Math.sign(target - current);
    },
    { sight: "full" },
  );
}

export const constantPool = (size) => seeing(`${size} workers`, 60, () => size);

/** A new one for each run, for they remember. */
export const YARDSTICKS = [
  horizonLike,
  celeryLike,
  (workload) => hpaRatio(workload, 20, "HPA, 20 a worker"),
  (workload) => hpaRatio(workload, null, "HPA, half an SLO of work a worker"),
  littleLike,
  firstLaw,
];
