/** Workers in the store: registration, leases, death, cordons. DESIGN 9.6, 10.3. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { identityOf, isHeld, ownIdentity, type ProcessIdentity } from "effiqueue";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { aJob, aWorker, exchange, FakeTime, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

const LEASE_MS = 30_000;
const HOUR_MS = 3_600_000;

/** A process to be killed. */
async function victim(): Promise<{ identity: ProcessIdentity; kill: () => Promise<void> }> {
  const child = spawn("sleep", ["1000"], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  const identity = identityOf(child.pid ?? 0);
  if (identity === undefined) throw new Error("the process has no identity");
  return {
    identity,
    kill: async () => {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** A process that is stopped: it lives, and says nothing. */
async function held(): Promise<ProcessIdentity> {
  const { identity } = await victim();
  process.kill(identity.pid, "SIGSTOP");
  await waitFor(() => isHeld(identity.pid));
  return identity;
}

const fromElsewhere = (): ProcessIdentity => ({ ...ownIdentity(), bootId: "another boot" });

onEachDriver((driver) => {
  async function holding(identity: ProcessIdentity, job: Parameters<typeof aJob>[0] = {}) {
    const time = new FakeTime();
    const store = openStore({ driver, time, leaseMs: LEASE_MS });
    const worker = await store.registerWorker(aWorker({ identity }));
    const id = await store.insert(aJob(job));
    const { claimed } = await exchange(store, worker, { claim: 1 });
    return { store, time, worker, id, token: claimed[0]?.token ?? 0 };
  }

  describe("DESIGN 9.6: workers look behind themselves", () => {
    const dead = (): ProcessIdentity => ({ ...ownIdentity(), startTime: "1" });

    it("and whoever of six dies is found by one of those that live", async () => {
      const store = openStore({ driver });
      for (let pattern = 1; pattern < 64; pattern++) {
        const lives = Array.from({ length: 6 }, (_, bit) => (pattern & (1 << bit)) !== 0);
        const ids: number[] = [];
        for (const isAlive of lives) {
          ids.push(await store.registerWorker(aWorker({ identity: isAlive ? ownIdentity() : dead() })));
        }
        const found = [];
        for (const [i, id] of ids.entries()) if (lives[i]) found.push(...(await store.reclaim(id)).workers);
        expect(found.length, `pattern ${pattern}`).toBe(lives.filter((isAlive) => !isAlive).length);
        for (const id of ids) await store.removeWorker(id);
      }
    });

    it("at three, and at all of them once one of the three is dead", async () => {
      const store = openStore({ driver });
      const watcher = await store.registerWorker(aWorker());
      const [first] = [await store.registerWorker(aWorker()), await store.registerWorker(aWorker())];
      await store.registerWorker(aWorker());
      await store.registerWorker(aWorker({ identity: dead() }));
      expect((await store.reclaim(watcher)).workers, "the fourth behind it").toEqual([]);
      await store.removeWorker(first);
      await store.registerWorker(aWorker({ identity: dead() }));
      expect((await store.reclaim(watcher)).workers, "two, of which one is the third").toHaveLength(2);
    });
  });

  describe("DESIGN 9.6: provable death", () => {
    it("gives the jobs back at once, once, with the attempt counted and the pid in the error", async () => {
      const { identity, kill } = await victim();
      const { store, id, worker } = await holding(identity);
      expect(await store.reclaim()).toEqual({ jobs: 0, workers: [] });
      await kill();
      expect(await store.reclaim()).toEqual({ jobs: 1, workers: [{ identity, jobs: 1, silentMs: null }] });
      expect(await store.reclaim()).toEqual({ jobs: 0, workers: [] });
      expect(await store.job(id)).toMatchObject({
        state: "pending",
        attempts: 1,
        error: expect.stringContaining(String(identity.pid)) as string,
      });
      expect(await store.workers()).toEqual([]);
      expect(await store.heartbeat(worker, 0)).toBe(false);
    });

    it("sends a job that kills its workers to the dead letters when its attempts are used up", async () => {
      const first = await victim();
      const { store, id } = await holding(first.identity, { maxRetries: 1 });
      await first.kill();
      await store.reclaim();
      const second = await victim();
      const worker = await store.registerWorker(aWorker({ identity: second.identity }));
      expect((await exchange(store, worker, { claim: 1 })).claimed).toMatchObject([{ id, attempt: 2 }]);
      await second.kill();
      await store.reclaim();
      expect(await store.job(id)).toMatchObject({ state: "dead", attempts: 2 });
    });

    it("ends a job whose cancellation was asked for", async () => {
      const { identity, kill } = await victim();
      const { store, id } = await holding(identity);
      await store.cancel(id);
      await kill();
      await store.reclaim();
      expect(await store.job(id)).toMatchObject({ state: "cancelled" });
    });

    it("is no concern of the living", async () => {
      const { identity, kill } = await victim();
      const { store } = await holding(identity);
      const alive = await store.registerWorker(aWorker());
      const mine = await store.insert(aJob());
      await exchange(store, alive, { claim: 1 });
      await kill();
      await store.reclaim();
      expect((await store.workers()).map(({ id }) => id)).toEqual([alive]);
      expect((await store.job(mine))?.state).toBe("running");
    });
  });

  describe("DESIGN 9.6: leases", () => {
    it.each([
      ["a worker that is held", held],
      ["a worker from elsewhere", fromElsewhere],
    ])("of %s run out after the lease, and a heartbeat renews them", async (_, identify) => {
      const identity = await identify();
      const { store, time, worker, id } = await holding(identity);
      time.pass(LEASE_MS);
      expect((await store.reclaim()).jobs, "at the lease").toBe(0);
      expect(await store.heartbeat(worker, 0)).toBe(true);
      time.pass(LEASE_MS);
      expect((await store.reclaim()).jobs, "at the renewed lease").toBe(0);
      time.pass(1);
      expect(await store.reclaim()).toEqual({ jobs: 1, workers: [{ identity, jobs: 1, silentMs: LEASE_MS + 1 }] });
      expect(await store.job(id)).toMatchObject({
        state: "pending",
        error: expect.stringContaining("silent") as string,
      });
    });

    it.each([-HOUR_MS, HOUR_MS, 24 * HOUR_MS])(
      "on one machine do not change though the wall clock jumps by %i ms",
      async (jumpMs) => {
        const { store, time } = await holding(await held());
        time.pass(LEASE_MS - 1);
        time.setWall(jumpMs);
        expect((await store.reclaim()).jobs).toBe(0);
        time.pass(2);
        expect((await store.reclaim()).jobs).toBe(1);
      },
    );

    it("of a worker that lives, though a handler blocks it, are ten times as long, and not without end", async () => {
      const { store, time, worker, id, token } = await holding(ownIdentity());
      time.pass(10 * LEASE_MS);
      expect(await store.reclaim()).toEqual({ jobs: 0, workers: [] });
      const done = { id, token, kind: "completed", resultJson: null } as const;
      expect((await exchange(store, worker, { outcomes: [done] })).refused).toEqual([]);
      await store.insert(aJob());
      await exchange(store, worker, { claim: 1 });
      time.pass(1);
      expect((await store.reclaim()).jobs).toBe(1);
    });

    it("from elsewhere are granted for one lease, not for hours, when the stamp is from the future", async () => {
      const { store, time } = await holding(fromElsewhere());
      time.setWall(-5 * HOUR_MS);
      expect((await store.reclaim()).jobs).toBe(0);
      time.pass(LEASE_MS);
      expect((await store.reclaim()).jobs).toBe(0);
      time.pass(1);
      expect((await store.reclaim()).jobs).toBe(1);
    });

    it("let a worker that lost them register again and go on", async () => {
      const { store, time, worker, id, token } = await holding(fromElsewhere());
      time.pass(LEASE_MS + 1);
      await store.reclaim();
      const late = { id, token, kind: "completed", resultJson: null } as const;
      const answer = await exchange(store, worker, { outcomes: [late], claim: 1 });
      expect(answer).toMatchObject({ refused: [id], claimed: [], registered: false });
      const again = await store.registerWorker(aWorker());
      expect((await exchange(store, again, { claim: 1 })).claimed).toMatchObject([{ id, attempt: 2 }]);
    });
  });

  describe("DESIGN 10.3: registration", () => {
    it("tells how many jobs each worker has finished, by its own count", async () => {
      const { store, worker } = await holding(ownIdentity());
      expect(await store.heartbeat(worker, 7)).toBe(true);
      expect(await store.workers()).toMatchObject([{ id: worker, finished: 7 }]);
    });

    it("shows each worker with its slots, queues and what it runs", async () => {
      const { store, worker, time } = await holding(ownIdentity());
      const second = await store.registerWorker(aWorker({ slots: 9, queues: ["a", "b"] }));
      expect(await store.workers()).toEqual([
        {
          id: worker,
          identity: ownIdentity(),
          slots: 4,
          busy: 1,
          finished: 0,
          cordoned: false,
          queues: null,
          startedAtMs: time.wall,
          heartbeatAtMs: time.wall,
        },
        expect.objectContaining({ id: second, slots: 9, busy: 0, queues: ["a", "b"] }),
      ]);
    });

    it("gives back at the end what is still held, and the attempt does not count", async () => {
      const { store, worker, id } = await holding(ownIdentity());
      await store.removeWorker(worker);
      expect(await store.job(id)).toMatchObject({ state: "pending", attempts: 0 });
      expect(await store.workers()).toEqual([]);
      await store.removeWorker(worker);
    });
  });

  describe("DESIGN 4.4: cordons", () => {
    it("take an idle worker atomically, and leave a busy one alone", async () => {
      const { store, worker, id, token } = await holding(ownIdentity());
      expect(await store.cordonIfIdle(worker)).toBe(false);
      expect((await store.workers())[0]?.cordoned).toBe(false);
      await exchange(store, worker, { outcomes: [{ id, token, kind: "completed", resultJson: null }] });
      expect(await store.cordonIfIdle(worker)).toBe(true);
      expect((await store.workers())[0]?.cordoned).toBe(true);
      expect(await store.cordonIfIdle(999)).toBe(false);
    });

    it("count what runs on cordoned workers apart", async () => {
      const { store, worker } = await holding(ownIdentity());
      const second = await store.registerWorker(aWorker());
      await store.insertMany([aJob(), aJob({ queue: "other" })]);
      await exchange(store, second, { claim: 2 });
      await store.cordon(worker);
      expect(await store.load()).toMatchObject({ running: 3, runningOnCordoned: 1 });
      expect(await store.load(["other"])).toMatchObject({ running: 1, runningOnCordoned: 0 });
    });
  });
});
