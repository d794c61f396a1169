import {
  computeDesired,
  crashBackoff,
  type Decision,
  HPA_DEFAULTS,
  type HpaState,
  initialHpaState,
  type Observation,
  stepHpa,
} from "effiqueue/decide";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as lifecycle from "../../packages/flexiq/src/lifecycle.ts";
import * as impure from "./fixtures/frozen/impure-steps.ts";
import { breachesOf, deepFreeze } from "./purity.ts";

const count = fc.integer({ min: 0, max: 300 });

const observation: fc.Arbitrary<Observation> = fc.record({
  dtSec: fc.double({ min: 0, max: 200, noNaN: true }),
  queue: fc.option(
    fc.record({ ready: count, unacked: fc.option(count), unackedByDraining: count, oldestAgeSec: count }),
    { freq: 5 },
  ),
  workers: fc.record({ starting: count, serving: count, draining: count, slots: count }),
});

describe("DESIGN 1.5: lock 4, frozen inputs", () => {
  it("the hpa policy changes no input, keeps no secret, and its state survives JSON", () => {
    const config = deepFreeze({ ...HPA_DEFAULTS, scaleUpWindowSec: 30, maxWorkers: 100 });
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 20 }), (seen) => {
        expect(breachesOf((state, now) => stepHpa(config, state, now), initialHpaState(), seen)).toEqual([]);
      }),
    );
  });

  it("sending the state of the hpa policy through JSON changes no decision", () => {
    fc.assert(
      fc.property(fc.array(observation, { maxLength: 20 }), (seen) => {
        const run = (carry: (state: HpaState) => HpaState): Decision[] => {
          let state = initialHpaState();
          return seen.map((now) => {
            const { state: next, decision } = stepHpa(HPA_DEFAULTS, state, now);
            state = carry(next);
            return decision;
          });
        };
        expect(run((state) => JSON.parse(JSON.stringify(state)) as HpaState)).toEqual(run((state) => state));
      }),
    );
  });

  it("so does the crash back-off", () => {
    const event = fc.record({ crashed: fc.boolean(), nowSec: fc.double({ min: 0, max: 1e6, noNaN: true }) });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 20 }), (events) => {
        const step = (
          state: typeof crashBackoff.initial,
          { crashed, nowSec }: { crashed: boolean; nowSec: number },
        ) => ({
          state: crashed ? crashBackoff.crashed(state, nowSec) : crashBackoff.lived(state),
        });
        expect(breachesOf(step, crashBackoff.initial, events)).toEqual([]);
      }),
    );
  });

  it("functions of one call change no input and answer the same twice", () => {
    const load = { pending: 40, running: 21, runningOnDraining: 3, current: 5, slots: 20, config: { ...HPA_DEFAULTS } };
    const run = { attempt: 2, maxRetries: 3, retry: true };
    const retry = { attempt: 2, baseMs: 1000, maxMs: 60_000, chance: 0.25 };
    const calls: [(input: never) => unknown, object][] = [
      [computeDesired, load],
      [lifecycle.afterFailure, run],
      [lifecycle.afterWorkerDeath, run],
      [lifecycle.retryDelayMs, retry],
    ];
    for (const [call, input] of calls) {
      const step = (state: null, seen: object) => ({ state, answer: call(seen as never) });
      expect(breachesOf(step, null, [input])).toEqual([]);
    }
  });

  it.each([
    ["changes its state", () => breachesOf(impure.changesItsState, { total: 0 }, [1]), ["changes its input"]],
    [
      "changes a deep input",
      () => breachesOf(impure.changesADeepInput, { total: 0 }, [{ list: [] }]),
      ["changes its input"],
    ],
    [
      "remembers elsewhere",
      () => breachesOf(impure.remembersElsewhere, { total: 0 }, [1]),
      ["answers differently the second time"],
    ],
    ["keeps a Map", () => breachesOf(impure.keepsAMap, { bySize: new Map() }, [1]), ["state is more than JSON"]],
    ["keeps Infinity", () => breachesOf(impure.keepsInfinity, { total: 0 }, [1]), ["state is more than JSON"]],
    ["keeps undefined", () => breachesOf(impure.keepsUndefined, { total: 0 }, [1]), ["state is more than JSON"]],
    ["is innocent", () => breachesOf(impure.isInnocent, { total: 0 }, [1, 2, 3]), []],
  ])("bites a step that %s as it should", (_, breaches, expected) => {
    expect(breaches()).toEqual(expected);
  });
});
