/**
 * Taking jobs back from dead workers: at once where the death is provable, after the lease where it is only presumed.
 * DESIGN 4.2, 9.6.
 */
import { isHeld, livenessOf, thisMachine } from "effiqueue";
import { afterWorkerDeath } from "../lifecycle.ts";
import type { JobId } from "../model.ts";
import type { Session } from "./session.ts";
import { STATE_CODES } from "./state-codes.ts";
import { tallyLost } from "./tallies.ts";
import type { LostWorker, Reclaimed } from "./types.ts";
import { identityIn, type StoredWorker, stamps } from "./workers.ts";

const ALL = "SELECT * FROM workers";
const BEHIND = "SELECT * FROM workers WHERE id > ? ORDER BY id LIMIT ?";
const FROM_THE_FIRST = "SELECT * FROM workers WHERE id < ? ORDER BY id LIMIT ?";
const ONE = "SELECT * FROM workers WHERE id = ?";
const REMOVE = "DELETE FROM workers WHERE id = ?";
const STAMP = "UPDATE workers SET heartbeat_wall = ?, heartbeat_mono = ? WHERE id = ?";
const HELD = `
  SELECT id, attempts, max_retries, cancel_requested FROM jobs INDEXED BY jobs_running WHERE state = 2 AND worker_id = ?`;
const TO_PENDING = "UPDATE jobs SET state = 1, error = ? WHERE id = ?";
const TO_END = "UPDATE jobs SET state = ?, finished_at = ?, error = ? WHERE id = ?";

interface Held {
  readonly id: JobId;
  readonly attempts: number;
  readonly max_retries: number;
  readonly cancel_requested: number;
}

/** Milliseconds since the last heartbeat; negative: the stamp is from the future, of a clock that was set back since. */
function silenceMs(session: Session, row: StoredWorker): number {
  const now = stamps(session);
  const sameBoot = row.boot_id !== "" && row.boot_id === thisMachine().bootId;
  return sameBoot ? now.mono - row.heartbeat_mono : now.wall - row.heartbeat_wall;
}

/**
 * Leases of a worker that is alive beyond doubt, and not held. It is silent because a handler blocks its event loop: one that computes for
 * a minute would otherwise be run again and again by others and end as dead, though every run of it succeeds; one that hangs must not keep
 * its jobs for ever.
 */
const LEASES_OF_THE_LIVING = 10;

type Verdict = "alive" | "dead" | "silent" | "from-the-future";

function judge(session: Session, row: StoredWorker): Verdict {
  const liveness = livenessOf(identityIn(row));
  if (liveness === "dead") return "dead";
  const silence = silenceMs(session, row);
  if (silence < 0) return "from-the-future";
  const { leaseMs } = session.settings;
  if (silence <= leaseMs) return "alive";
  return liveness === "alive" && !isHeld(row.pid) && silence <= leaseMs * LEASES_OF_THE_LIVING ? "alive" : "silent";
}

const why = ({ pid }: StoredWorker, silentMs: number | null): string =>
  silentMs === null
    ? `worker ${pid} died while it ran the job`
    : `worker ${pid} was silent for ${silentMs} ms while it ran the job, longer than its lease`;

function takeBack(session: Session, row: StoredWorker, silentMs: number | null): LostWorker {
  const error = why(row, silentMs);
  const held = session.sql(HELD).all(row.id) as Held[];
  const nowMs = session.now();
  for (const job of held) {
    const next = afterWorkerDeath({ attempt: job.attempts, maxRetries: job.max_retries });
    if (job.cancel_requested === 1) session.sql(TO_END).run(STATE_CODES.cancelled, nowMs, error, job.id);
    else if (next === "dead") session.sql(TO_END).run(STATE_CODES.dead, nowMs, error, job.id);
    else session.sql(TO_PENDING).run(error, job.id);
  }
  tallyLost(session, held.length);
  session.sql(REMOVE).run(row.id);
  return { identity: identityIn(row), jobs: held.length, silentMs };
}

/** One would do, were it not for workers that cannot look because a handler blocks them. */
const NEIGHBOURS = 3;

/** The workers behind this one in the ring of their ids. */
function neighbours(session: Session, id: number): StoredWorker[] {
  const behind = session.sql(BEHIND).all(id, NEIGHBOURS) as StoredWorker[];
  if (behind.length === NEIGHBOURS) return behind;
  return behind.concat(session.sql(FROM_THE_FIRST).all(id, NEIGHBOURS - behind.length) as StoredWorker[]);
}

/**
 * One look at every worker without a lock, then one write transaction if somebody is dead.
 *
 * @param watcher a worker that only looks behind itself, as long as nobody there is dead: whoever dies has a living one before it, and
 * sixty workers that all look at all of them would keep a core busy
 */
export function reclaim(session: Session, watcher?: number): Reclaimed {
  if (watcher !== undefined && neighbours(session, watcher).every((row) => judge(session, row) === "alive")) {
    return { jobs: 0, workers: [] };
  }
  const suspects = (session.sql(ALL).all() as StoredWorker[]).filter((row) => judge(session, row) !== "alive");
  if (suspects.length === 0) return { jobs: 0, workers: [] };
  return session.immediate(() => {
    const workers: LostWorker[] = [];
    for (const { id } of suspects) {
      // Again, under the lock: it may have sent a heartbeat or been taken back by another meanwhile.
      const row = session.sql(ONE).get(id) as StoredWorker | undefined;
      if (row === undefined) continue;
      const verdict = judge(session, row);
      if (verdict === "from-the-future") {
        // It counts as now, and is written down as now, so that the lease runs out however far the clock was set back.
        const now = stamps(session);
        session.sql(STAMP).run(now.wall, now.mono, id);
      } else if (verdict !== "alive") {
        workers.push(takeBack(session, row, verdict === "dead" ? null : silenceMs(session, row)));
      }
    }
    return { jobs: workers.reduce((sum, { jobs }) => sum + jobs, 0), workers };
  });
}
