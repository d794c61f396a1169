/**
 * The rows of the workers: who there is, that they live, and who is to take no more work. DESIGN 4.4, 9.6, 10.3.
 */
import type { ProcessIdentity } from "effiqueue";
import type { WorkerRegistration, WorkerRow } from "../model.ts";
import type { Session } from "./session.ts";

const REGISTER = `
  INSERT INTO workers (pid, start_time, boot_id, pid_namespace, slots, queues, started_at, heartbeat_wall, heartbeat_mono)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const HEARTBEAT = "UPDATE workers SET heartbeat_wall = ?, heartbeat_mono = ?, finished = ? WHERE id = ?";
const GIVE_BACK = `
  UPDATE jobs SET state = 1, attempts = attempts - 1 WHERE state = 2 AND worker_id = ? AND cancel_requested = 0`;
const CANCEL_REST = "UPDATE jobs SET state = 6, finished_at = ? WHERE state = 2 AND worker_id = ?";
const REMOVE = "DELETE FROM workers WHERE id = ?";
const CORDON = "UPDATE workers SET cordoned = ? WHERE id = ?";
const CORDON_IF_IDLE = `
  UPDATE workers SET cordoned = 1 WHERE id = $id
  AND NOT EXISTS (SELECT 1 FROM jobs INDEXED BY jobs_running WHERE state = 2 AND worker_id = $id)`;
const LIST = `
  SELECT workers.*, (SELECT count(*) FROM jobs INDEXED BY jobs_running WHERE state = 2 AND worker_id = workers.id) AS busy
  FROM workers ORDER BY id`;

/** A row of the table. */
export interface StoredWorker {
  readonly id: number;
  readonly pid: number;
  readonly start_time: string;
  readonly boot_id: string;
  readonly pid_namespace: string;
  readonly slots: number;
  readonly queues: string | null;
  readonly cordoned: number;
  readonly started_at: number;
  readonly heartbeat_wall: number;
  readonly heartbeat_mono: number;
  readonly finished: number;
}

/** On the clocks of this moment; whole milliseconds. */
export function stamps(session: Session): { readonly wall: number; readonly mono: number } {
  return { wall: session.now(), mono: Math.floor(session.settings.time.monotonicMs()) };
}

export const identityIn = (row: StoredWorker): ProcessIdentity => ({
  pid: row.pid,
  startTime: row.start_time,
  bootId: row.boot_id,
  pidNamespace: row.pid_namespace,
});

export function registerWorker(session: Session, { identity, slots, queues }: WorkerRegistration): number {
  const { wall, mono } = stamps(session);
  const { pid, startTime, bootId, pidNamespace } = identity;
  return session
    .sql(REGISTER)
    .run(pid, startTime, bootId, pidNamespace, slots, queues && JSON.stringify(queues), wall, wall, mono)
    .lastInsertRowid;
}

export function heartbeat(session: Session, workerId: number, finished: number): boolean {
  const { wall, mono } = stamps(session);
  return session.sql(HEARTBEAT).run(wall, mono, finished, workerId).changes === 1;
}

export function removeWorker(session: Session, workerId: number): void {
  session.immediate(() => {
    session.sql(GIVE_BACK).run(workerId);
    session.sql(CANCEL_REST).run(session.now(), workerId);
    session.sql(REMOVE).run(workerId);
  });
}

export function cordonIfIdle(session: Session, workerId: number): boolean {
  return session.sql(CORDON_IF_IDLE).run({ id: workerId }).changes === 1;
}

export function setCordon(session: Session, workerId: number, cordoned: boolean): void {
  session.sql(CORDON).run(cordoned ? 1 : 0, workerId);
}

export function listWorkers(session: Session): WorkerRow[] {
  return (session.sql(LIST).all() as (StoredWorker & { busy: number })[]).map((row) => ({
    id: row.id,
    identity: identityIn(row),
    slots: row.slots,
    busy: row.busy,
    finished: row.finished,
    cordoned: row.cordoned === 1,
    queues: row.queues === null ? null : (JSON.parse(row.queues) as string[]),
    startedAtMs: row.started_at,
    heartbeatAtMs: row.heartbeat_wall,
  }));
}
