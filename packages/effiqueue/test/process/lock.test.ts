import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PoolLockedError, StateFolderError } from "../../src/act/errors.ts";
import { acquireLock } from "../../src/act/lock.ts";
import { ownIdentity } from "../../src/act/platform/identity.ts";
import type { ProcessIdentity } from "../../src/model/worker.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { openTestPool } from "../support/pool.ts";
import { type Fixture, isAlive, startFixture, startStranger } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";

const never = { lost: () => expect.unreachable(), restored: () => expect.unreachable() };

const writeLock = (folder: string, number: number, owner: ProcessIdentity, touchedMsAgo = 0): void => {
  const file = join(folder, `lock.${number}`);
  writeFileSync(file, JSON.stringify({ ...owner, released: false }));
  const at = new Date(Date.now() - touchedMsAgo);
  utimesSync(file, at, at);
};

const deadOwner = (): ProcessIdentity => ({ ...ownIdentity(), startTime: "1" });

describe("DESIGN 4.7: one owner per state folder", () => {
  it("refuses a second pool, in the same process and in another one, and names the owner", async () => {
    const stateDir = join(tempDir(), "made", "by", "us");
    const { pool } = openTestPool({ stateDir });
    expect(() => openTestPool({ stateDir })).toThrow(/close the first pool/);
    const racer = startFixture("racer.mjs", stateDir);
    await racer.line();
    racer.say("go");
    expect(await racer.line()).toBe(`refused ${process.pid}`);
    pool.close();
    racer.say("go");
    expect(await racer.line()).toBe("won");
    expect(() => openTestPool({ stateDir })).toThrow(`kill -TERM ${String(racer.child.pid)}`);
  });

  it("keeps its folder and files to this user", () => {
    const stateDir = join(tempDir(), "state");
    openTestPool({ stateDir }).pool.spawn();
    expect(statSync(stateDir).mode & 0o777).toBe(0o700);
    const modes = readdirSync(stateDir).map((name) => [name, statSync(join(stateDir, name)).mode & 0o777]);
    expect(modes).toEqual([
      ["lock.1", 0o600],
      ["pool-id", 0o600],
      ["workers.json", 0o600],
    ]);
  });

  it("succeeds an owner at once whose death is provable, also when its pid is somebody else's by now", async () => {
    const stranger = await startStranger("exec sleep 600");
    for (const owner of [deadOwner(), { ...stranger, startTime: "1" }]) {
      const folder = tempDir();
      writeLock(folder, 41, owner);
      acquireLock(folder, new ManualClock(), never);
      expect(readdirSync(folder)).toEqual(["lock.42"]);
    }
  });

  it.each([
    ["another pid namespace", { pidNamespace: "pid:[1]" }],
    ["another boot", { bootId: "00000000-0000-0000-0000-000000000000" }],
  ])("presumes an owner of %s dead after 15 s of silence, not earlier", (_, elsewhere) => {
    const folder = tempDir();
    const owner = { ...ownIdentity(), ...elsewhere };
    writeLock(folder, 1, owner, 13_000);
    expect(() => acquireLock(folder, new ManualClock(), never)).toThrow(/heard of 1\d s ago/);
    writeLock(folder, 1, owner, 16_000);
    acquireLock(folder, new ManualClock(), never);
    expect(readdirSync(folder)).toEqual(["lock.2"]);
  });

  it("treats a lock that says nothing like an owner elsewhere", () => {
    const folder = tempDir();
    writeFileSync(join(folder, "lock.3"), "");
    expect(() => acquireLock(folder, new ManualClock(), never)).toThrow(PoolLockedError);
    const long = new Date(Date.now() - 60_000);
    utimesSync(join(folder, "lock.3"), long, long);
    acquireLock(folder, new ManualClock(), never);
    expect(readdirSync(folder)).toEqual(["lock.4"]);
  });

  it("never ends the sequence: a released lock stays, and numbers go on from it", () => {
    const folder = tempDir();
    for (const number of [1, 2, 3]) {
      const lock = acquireLock(folder, new ManualClock(), never);
      expect(readdirSync(folder)).toEqual([`lock.${number}`]);
      lock.release();
      lock.release();
      expect(JSON.parse(readFileSync(join(folder, `lock.${number}`), "utf8"))).toMatchObject({ released: true });
    }
  });

  it("shows that it lives by touching its file", () => {
    const folder = tempDir();
    const clock = new ManualClock();
    acquireLock(folder, clock, never);
    const file = join(folder, "lock.1");
    const text = readFileSync(file, "utf8");
    utimesSync(file, new Date(0), new Date(0));
    clock.advance(5_000);
    expect(statSync(file).mtimeMs).toBeGreaterThan(0);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it("lets go when another one was presumed dead's successor: starts, signals and writes nothing any more", async () => {
    const stateDir = tempDir();
    const clock = new ManualClock();
    const { pool, events, pids } = openTestPool({ stateDir, clock });
    await pool.resize(1);
    const [pid] = pids() as [number];
    onTestFinished(() => {
      process.kill(-pid, "SIGKILL");
    });
    const state = readFileSync(join(stateDir, "workers.json"), "utf8");
    writeLock(stateDir, 2, { ...ownIdentity(), pid: 77, pidNamespace: "pid:[1]" });
    clock.advance(5_000);
    expect(events.of("act.pool.lock_lost")).toEqual([{ program: "test", owner_pid: 77, adopted: true }]);
    await pool.resize(3);
    expect(await pool.terminate(pid)).toBe(false);
    pool.killAll();
    await pool.shutdown();
    expect(events.of("act.worker.spawned")).toHaveLength(1);
    expect(events.of("act.worker.exited")).toEqual([]);
    expect(readFileSync(join(stateDir, "workers.json"), "utf8")).toBe(state);
    expect(readFileSync(join(stateDir, "lock.2"), "utf8")).toContain('"pid":77');
  });

  it("makes a deleted folder again, with all that a successor needs, and stays the owner", async () => {
    const stateDir = join(tempDir(), "state");
    const clock = new ManualClock();
    const first = openTestPool({ stateDir, clock });
    await first.pool.resize(2);
    const pids = first.pids();
    rmSync(stateDir, { recursive: true });
    clock.advance(5_000);
    expect(first.events.of("act.state.restored")).toEqual([{ program: "test", folder: stateDir }]);
    expect(() => openTestPool({ stateDir })).toThrow(/close the first pool/);
    clock.advance(5_000);
    expect(first.events.of("act.state.restored")).toHaveLength(1);
    first.pool.close();
    expect(openTestPool({ stateDir }).pids()).toEqual(pids);
  });

  it("does not bring back a folder that went with all that is around it", async () => {
    const place = join(tempDir(), "place");
    const clock = new ManualClock();
    const { pool, events } = openTestPool({ stateDir: join(place, "state"), clock });
    rmSync(place, { recursive: true });
    clock.advance(5_000);
    expect(existsSync(place)).toBe(false);
    await pool.resize(1);
    await pool.resize(2);
    expect(pool.counts()).toMatchObject({ serving: 2 });
    expect(events.of("act.state.unwritable")).toHaveLength(1);
  });

  it("drains its workers when the folder was deleted and another began anew: nobody else knows them", async () => {
    const stateDir = join(tempDir(), "state");
    const clock = new ManualClock();
    const first = openTestPool({ stateDir, clock });
    await first.pool.resize(2);
    const pids = first.pids();
    rmSync(stateDir, { recursive: true });
    mkdirSync(stateDir);
    writeLock(stateDir, 1, { ...ownIdentity(), pid: 77, pidNamespace: "pid:[1]" });
    clock.advance(5_000);
    expect(first.events.of("act.pool.lock_lost")).toEqual([{ program: "test", owner_pid: 77, adopted: false }]);
    await first.pool.shutdown();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(stateDir)).toEqual(["lock.1"]);
    expect(() => first.pool.spawn()).toThrow(/closed/);
  });

  it("does not take a copy of the folder for the pool it was copied from: touches neither its owner nor its workers", async () => {
    const place = tempDir();
    const [original, copy] = [join(place, "original"), join(place, "copy")];
    const first = openTestPool({ stateDir: original });
    await first.pool.resize(2);
    // While it runs, and after it was killed or let go.
    for (const letGo of [false, true]) {
      if (letGo) first.pool.close();
      cpSync(original, copy, { recursive: true });
      const second = openTestPool({ stateDir: copy });
      expect(second.pids()).toEqual([]);
      expect(second.events.of("act.state.unreadable")).toMatchObject([
        {
          error: `it was copied from ${original} and lists the workers there`,
          kept_as: join(copy, "workers.json.bad"),
        },
      ]);
      await second.pool.resize(1);
      await second.pool.shutdown();
      rmSync(copy, { recursive: true });
    }
    expect(openTestPool({ stateDir: original }).pids()).toEqual(first.pids());
  });

  it("knows a folder that was moved, or is reached by another path, as the same", async () => {
    const place = tempDir();
    const [before, after] = [join(place, "before"), join(place, "after")];
    const first = openTestPool({ stateDir: before });
    await first.pool.resize(1);
    symlinkSync(before, join(place, "link"));
    expect(() => openTestPool({ stateDir: join(place, "link") })).toThrow(PoolLockedError);
    renameSync(before, after);
    expect(() => openTestPool({ stateDir: after })).toThrow(PoolLockedError);
  });

  it("names a folder that cannot be used", () => {
    const file = join(tempDir(), "file");
    writeFileSync(file, "");
    expect(() => openTestPool({ stateDir: join(file, "state") })).toThrow(StateFolderError);
    expect(() => openTestPool({ stateDir: "/proc/effiqueue" })).toThrow(
      /state folder \/proc\/effiqueue cannot be used/,
    );
  });

  it("lets exactly one of twenty processes win a dead owner's lock, and one of the next twenty after its SIGKILL", {
    timeout: 120_000,
  }, async () => {
    const folder = tempDir();
    writeLock(folder, 7, deadOwner());
    const racers = Array.from({ length: 21 }, () => startFixture("racer.mjs", folder));
    await Promise.all(racers.map((racer) => racer.line()));

    const first = await race(racers);
    first.child.kill("SIGKILL");
    await new Promise((resolve) => first.child.once("exit", resolve));
    const second = await race(racers.filter((racer) => racer !== first));
    expect(second.child.pid).not.toBe(first.child.pid);
    expect(readdirSync(folder).filter((name) => name.startsWith("lock."))).toEqual(["lock.9"]);
  });

  it("has one owner at a time while four processes take it and let it go as fast as they can", {
    timeout: 120_000,
  }, async () => {
    const folder = tempDir();
    const locks = join(folder, "state");
    mkdirSync(locks);
    const churners = Array.from({ length: 4 }, () => startFixture("churn.mjs", locks, join(folder, "owned"), "40"));
    expect(await Promise.all(churners.map((churner) => churner.line()))).toEqual(Array(4).fill("40 times alone"));
    expect(readdirSync(locks)).toEqual(["lock.160"]);
  });
});

async function race(racers: readonly Fixture[]): Promise<Fixture> {
  for (const racer of racers) racer.say("go");
  const said = await Promise.all(racers.map((racer) => racer.line()));
  const winners = racers.filter((_, i) => said[i] === "won");
  expect(winners).toHaveLength(1);
  const [winner] = winners as [Fixture];
  expect(said.filter((line) => line === `refused ${String(winner.child.pid)}`)).toHaveLength(racers.length - 1);
  return winner;
}
