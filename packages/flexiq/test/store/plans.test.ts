/** A worker's transaction costs the same however many jobs it does not touch: read off SQLite's own plans. DESIGN 9.5. */
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import type { Outcome } from "../../src/model.ts";
import type { Connection } from "../../src/store/drivers/driver.ts";
import { insertMany } from "../../src/store/enqueue.ts";
import { exchange } from "../../src/store/exchange.ts";
import { openDatabase } from "../../src/store/open.ts";
import { MANY, Session } from "../../src/store/session.ts";
import { heartbeat, registerWorker } from "../../src/store/workers.ts";
import { aJob, aWorker, FakeTime } from "../support/store.ts";
import { onEachDriver } from "./contract.ts";

onEachDriver((driver) => {
  describe("DESIGN 9.5: the cost of an exchange", () => {
    it("is that of seeks: no statement scans or sorts jobs", () => {
      const db = openDatabase({ dbPath: join(tempDir(), "queue.db"), driver }, 1000);
      onTestFinished(() => db.close());
      const used = new Set<string>();
      const recording: Connection = {
        exec: (sql) => db.exec(sql),
        prepare: (sql) => {
          used.add(sql);
          return db.prepare(sql);
        },
        prepareRows: (sql) => {
          used.add(sql);
          return db.prepareRows(sql);
        },
        close: () => db.close(),
      };
      const time = new FakeTime();
      const session = new Session(recording, {
        leaseMs: 1000,
        retention: { completedSec: 60, deadSec: 60 },
        time,
        chance: () => 0,
      });
      // Every branch once: several queues, a due job, each outcome, a claim of all queues and of some.
      const workerId = registerWorker(session, aWorker());
      insertMany(session, [
        ...["a", "b", "a", "b"].map((queue) => aJob({ queue, uniqueKey: null })),
        aJob({ uniqueKey: "k" }),
        aJob({ runAtMs: time.wall + 1 }),
      ]);
      time.pass(1);
      const { claimed } = exchange(session, { workerId, outcomes: [], claim: 9, queues: null });
      expect(claimed).toHaveLength(6);
      const [one, two, three, four] = claimed.map(({ id, token }) => ({ id, token }));
      if (!one || !two || !three || !four) throw new Error("too few");
      exchange(session, {
        workerId,
        outcomes: [
          { ...one, kind: "completed", resultJson: null },
          { ...two, kind: "failed", error: "e", retry: true },
          { ...three, kind: "cancelled", error: null },
          { ...four, kind: "released" },
        ],
        claim: 9,
        queues: ["a", "b"],
      });
      // As many as go by a list, one of them too late.
      insertMany(
        session,
        Array.from({ length: MANY }, () => aJob()),
      );
      const many = exchange(session, { workerId, outcomes: [], claim: MANY, queues: null }).claimed;
      const ends = many.map(({ id, token }): Outcome => ({ id, token, kind: "completed", resultJson: null }));
      exchange(session, { workerId, outcomes: [...ends, { ...ends[0], token: 0 } as Outcome], claim: 0, queues: null });
      expect([...used].filter((sql) => sql.includes("json_each"))).toHaveLength(4);
      heartbeat(session, workerId, 0);
      expect(used.size).toBeGreaterThan(15);

      for (const sql of [...used].filter((text) => /^\s*(SELECT|UPDATE|DELETE|WITH)/.test(text))) {
        const values = Array.from(sql.matchAll(/\?/g), () => 1);
        const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[];
        for (const { detail } of plan) {
          expect(detail, sql).not.toMatch(/SCAN (?:jobs|workers)$/);
          expect(detail, sql).not.toContain("TEMP B-TREE");
          // The one scan of an index there is stops at its first entry.
          if (/SCAN jobs/.test(detail)) expect(sql).toContain("LIMIT 1");
        }
      }
    });
  });
});
