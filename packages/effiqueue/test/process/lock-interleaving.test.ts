/** Interleavings that no stress hits reliably: chance is replaced by hooks between looking and linking. */
import { readdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { PoolLockedError } from "../../src/act/errors.ts";
import { acquireLock } from "../../src/act/lock.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { tempDir } from "../support/temp-dir.ts";

const chance = vi.hoisted(() => ({ beforeLink: [] as (() => void)[], draftsStay: false }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  return {
    ...fs,
    rmSync: (...args: Parameters<typeof fs.rmSync>) => {
      if (!chance.draftsStay || !String(args[0]).includes("draft")) fs.rmSync(...args);
    },
    linkSync: (...args: Parameters<typeof fs.linkSync>) => {
      chance.beforeLink.shift()?.();
      fs.linkSync(...args);
    },
  };
});

const acquire = (folder: string): ReturnType<typeof acquireLock> =>
  acquireLock(folder, new ManualClock(), { lost: () => expect.unreachable(), restored: () => expect.unreachable() });

describe("DESIGN 4.7: a competitor that was slow between looking and linking", () => {
  it("withdraws when the number it takes has come and gone, and its draft was not cleared away yet", () => {
    const folder = tempDir();
    acquire(folder).release();
    chance.beforeLink.push(() => {
      chance.draftsStay = true;
      acquire(folder).release();
      acquire(folder);
      chance.draftsStay = false;
      expect(readdirSync(folder).filter((name) => /^lock\.\d+$/.test(name))).toEqual(["lock.3"]);
    });
    expect(() => acquire(folder)).toThrow(PoolLockedError);
    expect(readdirSync(folder).filter((name) => !name.includes("draft"))).toEqual(["lock.3"]);
  });

  it("looks again when the number it wants was taken, and succeeds when it is free by then", () => {
    const folder = tempDir();
    acquire(folder).release();
    chance.beforeLink.push(() => acquire(folder).release());
    acquire(folder);
    expect(readdirSync(folder)).toEqual(["lock.3"]);
  });

  it("looks again when its draft was cleared away by a new owner", () => {
    const folder = tempDir();
    chance.beforeLink.push(() => {
      acquire(folder).release();
      acquire(folder).release();
      expect(readdirSync(folder)).toEqual(["lock.2"]);
    });
    acquire(folder);
    expect(readdirSync(folder)).toEqual(["lock.3"]);
  });
});
