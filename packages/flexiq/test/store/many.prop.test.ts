/** Jobs that change hands by the dozen go through statements of their own, and must end up as if they had come one by one. DESIGN 9.5. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ClaimedJob, JobId, Outcome } from "../../src/model.ts";
import type { Store } from "../../src/store/store.ts";
import { aJob, aWorker, exchange, FakeTime, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

const JOBS = 40;

const result = fc.oneof(
  fc.constant(null),
  fc.json(),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
  fc.nat({ max: 2000 }).map((length) => JSON.stringify("x".repeat(length))),
);

type End = (job: ClaimedJob) => Outcome;

const end: fc.Arbitrary<End> = fc.oneof(
  {
    weight: 12,
    arbitrary: result.map(
      (resultJson): End =>
        ({ id, token }) => ({ id, token, kind: "completed", resultJson }),
    ),
  },
  fc.constant<End>(({ id, token }) => ({ id, token, kind: "failed", error: "boom", retry: true })),
  fc.constant<End>(({ id, token }) => ({ id, token, kind: "cancelled", error: null })),
  fc.constant<End>(({ id, token }) => ({ id, token, kind: "released" })),
  // Of a run before this one, and of a job that is gone.
  fc.constant<End>(({ id, token }) => ({ id, token: token - 1, kind: "completed", resultJson: '"late"' })),
  fc.constant<End>(({ id, token }) => ({ id: id + 1000, token, kind: "completed", resultJson: '"nobody\'s"' })),
);

const drawn = fc.record({
  jobs: fc.array(
    fc.record({ queue: fc.constantFrom("a", "b", "held"), priority: fc.integer({ min: -1, max: 1 }), end }),
    { minLength: 1, maxLength: JOBS },
  ),
  keepsCompleted: fc.boolean(),
});

onEachDriver((driver) => {
  describe("DESIGN 9.5: an exchange of many jobs", () => {
    it("hands out and records what as many exchanges of one do", async () => {
      await fc.assert(
        fc.asyncProperty(drawn, async ({ jobs, keepsCompleted }) => {
          const time = new FakeTime();
          const open = async (): Promise<[Store, number]> => {
            const retention = { completedSec: keepsCompleted ? 60 : 0 };
            const store = openStore({ driver, time, retention, chance: () => 0 });
            await store.insertMany(jobs.map(({ queue, priority }, i) => aJob({ queue, priority, argsJson: `[${i}]` })));
            await store.pause("held");
            return [store, await store.registerWorker(aWorker())];
          };
          const [together, worker] = await open();
          const [apart, other] = await open();

          const { claimed } = await exchange(together, worker, { claim: JOBS });
          const one: ClaimedJob[] = [];
          for (const _ of jobs) one.push(...(await exchange(apart, other, { claim: 1 })).claimed);
          expect(claimed).toEqual(one);

          const outcomes = claimed.map((job) => (jobs[job.id - 1]?.end ?? fail)(job));
          const { refused } = await exchange(together, worker, { outcomes });
          const refusedOnes: JobId[] = [];
          for (const outcome of outcomes)
            refusedOnes.push(...(await exchange(apart, other, { outcomes: [outcome] })).refused);
          expect(refused).toEqual(refusedOnes);
          expect(await together.jobs({ limit: JOBS })).toEqual(await apart.jobs({ limit: JOBS }));
          expect((await together.census()).runs).toEqual((await apart.census()).runs);
          together.close();
          apart.close();
        }),
        { numRuns: 40 },
      );
    });
  });
});

function fail(): never {
  throw new Error("a job that nobody enqueued");
}
