/**
 * What the pool refuses, typed: the message names the thing, the value and the remedy; what the system said travels as
 * `cause`. DESIGN 4.7, 4.6.
 */

export type PoolErrorCode =
  /** The command, its working directory or its output file does not let a worker start. */
  | "spawn"
  /** Workers cannot run as the user that they are to run as. */
  | "user"
  /** The pool was shut down or closed, or another process has taken it over. */
  | "pool-closed"
  /** Another living process runs the pool of this state folder. */
  | "pool-locked"
  /** The state folder cannot be made or written, or belongs to somebody else. */
  | "state-folder";

export class PoolError extends Error {
  override readonly name: string = "PoolError";
  readonly code: PoolErrorCode;

  constructor(code: PoolErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export class SpawnError extends PoolError {
  override readonly name = "SpawnError";

  constructor(command: string, why: string, options?: ErrorOptions) {
    super("spawn", `cannot start a worker with ${command}: ${why}`, options);
  }
}

export class UserError extends PoolError {
  override readonly name = "UserError";

  constructor(user: string, why: string) {
    super("user", `workers cannot run as user ${user}: ${why}`);
  }
}

export class PoolClosedError extends PoolError {
  override readonly name = "PoolClosedError";

  constructor(program: string) {
    super("pool-closed", `the worker pool of ${program} is closed and starts no more workers: open a new one`);
  }
}

export class PoolLockedError extends PoolError {
  override readonly name = "PoolLockedError";
  /** The owner's pid as its own pid namespace numbers it; `null` when its lock does not tell. */
  readonly ownerPid: number | null;

  constructor(folder: string, ownerPid: number | null, remedy: string) {
    const owner = ownerPid === null ? "another process" : `process ${ownerPid}`;
    super("pool-locked", `the worker pool of ${folder} is already run by ${owner}: ${remedy}`);
    this.ownerPid = ownerPid;
  }
}

export class StateFolderError extends PoolError {
  override readonly name = "StateFolderError";

  constructor(folder: string, why: string, options?: ErrorOptions) {
    super("state-folder", `the state folder ${folder} cannot be used: ${why}`, options);
  }
}
