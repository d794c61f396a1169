/** What can be wrong with a file is said before the first job, and nothing is lost or touched. DESIGN 9.1, 9.2. */
import {
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { FlexiqError } from "../../src/errors.ts";
import type { Connection } from "../../src/store/drivers/driver.ts";
import { loadDriver } from "../../src/store/drivers/load.ts";
import { SCHEMA_VERSION } from "../../src/store/migrations/migrations.ts";
import { openDatabase } from "../../src/store/open.ts";
import { filesystemOf } from "../../src/store/open-checks.ts";
import type { StoreOptions } from "../../src/store/options.ts";
import { Store } from "../../src/store/store.ts";
import { mountTmpfs, remountReadOnly } from "../support/mount.ts";
import { aJob, openStore } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

function refusal(options: StoreOptions): FlexiqError {
  try {
    Store.open(options).close();
  } catch (error) {
    if (error instanceof FlexiqError) return error;
    throw error;
  }
  throw new Error("it was opened");
}

onEachDriver((driver) => {
  const options = (dbPath: string, more: Partial<StoreOptions> = {}): StoreOptions => ({ dbPath, driver, ...more });

  /** Works on the file past the store. */
  function raw<T>(dbPath: string, work: (db: Connection) => T): T {
    const db = loadDriver(driver).open(dbPath);
    try {
      return work(db);
    } finally {
      db.close();
    }
  }

  const pragma = (db: Connection, name: string): unknown =>
    Object.values(db.prepare(`PRAGMA ${name}`).get() as object)[0];

  describe("DESIGN 9.1: the file", () => {
    it("is made with its folders, in WAL mode, and keeps its jobs when opened again", async () => {
      const dbPath = join(tempDir(), "a/b", "queue.db");
      const first = Store.open(options(dbPath));
      const id = await first.insert(aJob());
      first.close();
      first.close();
      expect(raw(dbPath, (db) => pragma(db, "journal_mode"))).toBe("wal");
      expect((await openStore(options(dbPath)).job(id))?.state).toBe("pending");
    });

    it("answers `closed` after close, also to those who wait for a lock", async () => {
      const store = openStore({ driver });
      const lock = loadDriver(driver).open(store.dbPath);
      lock.exec("BEGIN IMMEDIATE");
      const waiting = store.insert(aJob());
      store.close();
      await expect(waiting).rejects.toMatchObject({ code: "closed" });
      await expect(store.stats()).rejects.toMatchObject({ code: "closed" });
      await expect(store.maintain()).rejects.toMatchObject({ code: "closed" });
      lock.close();
    });

    it("of another program is refused and not touched", () => {
      const dbPath = join(tempDir(), "other.db");
      raw(dbPath, (db) => db.exec("CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)"));
      const before = readFileSync(dbPath);
      expect(refusal(options(dbPath))).toMatchObject({ code: "foreign-file" });
      expect(readFileSync(dbPath).equals(before)).toBe(true);
    });

    it("that another program marked as its own is refused even while it is empty", () => {
      const dbPath = join(tempDir(), "other.db");
      raw(dbPath, (db) => db.exec("PRAGMA application_id = 7; PRAGMA user_version = 1"));
      expect(refusal(options(dbPath))).toMatchObject({ code: "foreign-file" });
    });

    it("that is no database is called corrupt and not touched", () => {
      const dbPath = join(tempDir(), "text.db");
      writeFileSync(dbPath, "This is a diary, and by no means a database. ".repeat(100));
      const error = refusal(options(dbPath));
      expect(error).toMatchObject({ code: "corrupt" });
      expect(error.message).toContain(dbPath);
      expect(readFileSync(dbPath, "utf8").startsWith("This is a diary")).toBe(true);
    });

    it("that is damaged is called corrupt", async () => {
      const dbPath = join(tempDir(), "queue.db");
      const store = Store.open(options(dbPath));
      await store.insertMany(Array.from({ length: 500 }, () => aJob({ argsJson: JSON.stringify(["x".repeat(200)]) })));
      store.close();
      const file = openSync(dbPath, "r+");
      // The header survives; the pages behind it do not.
      writeSync(file, Buffer.alloc(60_000, 0xa5), 0, 60_000, 4096);
      const damaged = (() => {
        try {
          return Store.open(options(dbPath));
        } catch (error) {
          return error as FlexiqError;
        }
      })();
      if (damaged instanceof FlexiqError) expect(damaged.code).toBe("corrupt");
      else {
        await expect(damaged.jobs()).rejects.toMatchObject({ code: "corrupt" });
        damaged.close();
      }
    });

    it.runIf(process.platform === "linux")(
      "that is no regular file, or is where none can be, is not taken for a full disk",
      () => {
        expect(() => Store.open(options("/dev/null"))).toThrow(/\/dev\/null is a device or the like/);
        expect(() => Store.open(options("/proc/queue.db"))).toThrow(/^(cannot open|\/proc is not writable)/);
        // Node's recursive mkdir never returns from here.
        expect(() => Store.open(options("/proc/nowhere/deep/queue.db"))).toThrow(FlexiqError);
      },
    );

    it("that is a folder is refused", () => {
      expect(refusal(options(tempDir()))).toMatchObject({
        code: "cannot-open",
        message: expect.stringContaining("folder") as string,
      });
    });

    it("below a file instead of a folder is refused", () => {
      const file = join(tempDir(), "file");
      writeFileSync(file, "");
      expect(refusal(options(join(file, "queue.db")))).toMatchObject({ code: "cannot-open" });
    });

    it("with a name that is too long is refused", () => {
      expect(refusal(options(join(tempDir(), "x".repeat(300))))).toMatchObject({ code: "cannot-open" });
    });
  });

  describe("DESIGN 9.2: schema", () => {
    it("newer than ours is refused with both numbers, and not touched", () => {
      const dbPath = join(tempDir(), "queue.db");
      Store.open(options(dbPath)).close();
      raw(dbPath, (db) => db.exec("PRAGMA user_version = 99"));
      const error = refusal(options(dbPath));
      expect(error).toMatchObject({ code: "newer-schema" });
      expect(error.message).toMatch(new RegExp(`99.*${SCHEMA_VERSION}`));
      expect(raw(dbPath, (db) => pragma(db, "user_version"))).toBe(99);
    });

    it("is ours afterwards", () => {
      const dbPath = join(tempDir(), "queue.db");
      Store.open(options(dbPath)).close();
      expect(raw(dbPath, (db) => pragma(db, "user_version"))).toBe(SCHEMA_VERSION);
    });
  });

  describe("DESIGN 9.1: durability", () => {
    it.each([
      ["normal", 1],
      ["full", 2],
    ] as const)("%s is SQLite's synchronous = %i", (durability, synchronous) => {
      const db = openDatabase(options(join(tempDir(), "queue.db"), { durability }), 1000);
      expect(pragma(db, "synchronous")).toBe(synchronous);
      db.close();
    });
  });

  describe("DESIGN 9.1: disks", () => {
    it("read-only: an error that says so, for a new file and for an old one", async (context) => {
      const folder = mountTmpfs("4m");
      if (folder === undefined) return context.skip("needs the right to mount");
      const dbPath = join(folder, "queue.db");
      const store = Store.open(options(dbPath));
      await store.insert(aJob());
      store.close();
      remountReadOnly(folder);
      expect(refusal(options(dbPath))).toMatchObject({
        code: "read-only",
        message: expect.stringContaining(dbPath) as string,
      });
      expect(refusal(options(join(folder, "new.db")))).toMatchObject({ code: "read-only" });
      expect(refusal(options(join(folder, "sub", "new.db")))).toMatchObject({ code: "read-only" });
    });

    it("full: an error that says so, what was acknowledged stays, and it goes on when there is space", async (context) => {
      const folder = mountTmpfs("1m");
      if (folder === undefined) return context.skip("needs the right to mount");
      const ballast = join(folder, "ballast");
      writeFileSync(ballast, Buffer.alloc(300_000));
      const store = openStore(options(join(folder, "queue.db")));
      const stored: number[] = [];
      const big = aJob({ argsJson: JSON.stringify(["x".repeat(20_000)]) });
      const fill = async (): Promise<void> => {
        for (let n = 0; n < 100; n += 1) stored.push(await store.insert(big));
      };
      await expect(fill()).rejects.toMatchObject({ code: "disk-full" });
      expect(stored.length).toBeGreaterThan(0);
      await expect(store.insertMany([big, big])).rejects.toMatchObject({ code: "disk-full" });
      expect((await store.jobs({ limit: 1000 })).map(({ id }) => id)).toEqual(stored);
      rmSync(ballast);
      stored.push(await store.insert(aJob()));
      expect((await store.jobs({ limit: 1000 })).map(({ id }) => id)).toEqual(stored);
    });

    it("full from the start: an error that says so", (context) => {
      const folder = mountTmpfs("64k");
      if (folder === undefined) return context.skip("needs the right to mount");
      try {
        writeFileSync(join(folder, "ballast"), Buffer.alloc(60_000));
      } catch {
        // Full is what it is to be.
      }
      expect(refusal(options(join(folder, "queue.db")))).toMatchObject({ code: "disk-full" });
    });
  });

  /** A table of mounts in which a filesystem of `type` is at `point`. */
  function mountInfo(point: string, type: string): string {
    const path = join(tempDir(), "mountinfo");
    const rows = [
      "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
      `55 21 0:44 / ${point.replaceAll(" ", "\\040")} rw,relatime shared:7 - ${type} server:/export rw,vers=4.2`,
    ];
    writeFileSync(path, `${rows.join("\n")}\n`);
    return path;
  }

  describe("DESIGN 9.1: a file with a second name", () => {
    const there = (): string => {
      const dbPath = join(realpathSync(tempDir()), "queue.db");
      Store.open(options(dbPath)).close();
      return dbPath;
    };

    it("is refused by either, for each would have a log of its own, until one is gone", () => {
      const dbPath = there();
      const other = join(tempDir(), "other.db");
      linkSync(dbPath, other);
      for (const path of [dbPath, other]) {
        expect(refusal(options(path))).toMatchObject({
          code: "cannot-open",
          message: expect.stringMatching(/ has another name \(a hard link\), .*: remove the other one/) as string,
        });
      }
      unlinkSync(other);
      Store.open(options(dbPath)).close();
    });

    it("is refused where it is mounted without its folder", () => {
      const dbPath = there();
      const link = join(tempDir(), "link.db");
      symlinkSync(dbPath, link);
      for (const path of [dbPath, link]) {
        expect(refusal(options(path, { mountInfoPath: mountInfo(dbPath, "ext4") }))).toMatchObject({
          code: "cannot-open",
          message: expect.stringMatching(
            / is mounted by itself, .*: mount the folder that holds it instead$/,
          ) as string,
        });
      }
      Store.open(options(dbPath, { mountInfoPath: mountInfo(dirname(dbPath), "ext4") })).close();
    });
  });

  describe("DESIGN 9.1: network filesystems", () => {
    it.each(["nfs", "nfs4", "cifs", "smb3", "9p", "ceph", "fuse.sshfs"])("%s is refused unless allowed", (type) => {
      const folder = join(tempDir(), "with space");
      mkdirSync(folder);
      const mountInfoPath = mountInfo(folder, type);
      const dbPath = join(folder, "below", "queue.db");
      const error = refusal(options(dbPath, { mountInfoPath }));
      expect(error).toMatchObject({ code: "network-filesystem" });
      expect(error.message).toContain(type);
      Store.open(options(dbPath, { mountInfoPath, allowNetworkFilesystem: true })).close();
    });

    it("local ones are not, though a network one is mounted elsewhere or has a name that begins alike", () => {
      const folder = tempDir();
      const mountInfoPath = mountInfo(`${folder}-nfs`, "nfs4");
      Store.open(options(join(folder, "queue.db"), { mountInfoPath })).close();
      Store.open(options(join(folder, "queue.db"), { mountInfoPath: "/nowhere" })).close();
    });

    it("the innermost and topmost mount counts", () => {
      const table = join(tempDir(), "mountinfo");
      writeFileSync(
        table,
        [
          "1 0 8:1 / / rw - ext4 /dev/sda rw",
          "2 1 0:9 / /data rw - nfs4 s:/x rw",
          "3 2 8:2 / /data/local rw - xfs /dev/sdb rw",
          "4 1 0:9 / /twice rw - nfs4 s:/y rw",
          "5 4 8:3 / /twice rw master:1 propagate_from:2 - btrfs /dev/sdc rw",
        ].join("\n"),
      );
      expect(filesystemOf("/data/queue", table)).toBe("nfs4");
      expect(filesystemOf("/data/local/queue", table)).toBe("xfs");
      expect(filesystemOf("/database", table)).toBe("ext4");
      expect(filesystemOf("/twice", table)).toBe("btrfs");
    });
  });
});

describe("DESIGN 9.1: the binding", () => {
  const none = () => undefined;

  it("is node:sqlite where there is one, else better-sqlite3", () => {
    const driver = (name: "node:sqlite" | "better-sqlite3") => () => ({ name, open: none as never });
    const both = { "node:sqlite": driver("node:sqlite"), "better-sqlite3": driver("better-sqlite3") };
    expect(loadDriver(undefined, both).name).toBe("node:sqlite");
    expect(loadDriver(undefined, { ...both, "node:sqlite": none }).name).toBe("better-sqlite3");
  });

  it("missing: one sentence says what to install", () => {
    const load = () => loadDriver(undefined, { "node:sqlite": none, "better-sqlite3": none });
    expect(load).toThrow(
      expect.objectContaining({
        code: "no-sqlite",
        message: expect.stringContaining("npm install better-sqlite3@12") as string,
      }),
    );
  });

  it("built for another Node: one sentence says to rebuild it, with the cause", () => {
    const cause = new Error("NODE_MODULE_VERSION 115");
    const broken = () => {
      throw cause;
    };
    const load = () => loadDriver(undefined, { "node:sqlite": none, "better-sqlite3": broken });
    expect(load).toThrow(
      expect.objectContaining({ code: "no-sqlite", cause, message: expect.stringContaining("npm rebuild") as string }),
    );
  });
});
