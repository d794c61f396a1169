/**
 * Typed errors of the queue. Each names the thing, the value and the remedy in its message; the cause travels as
 * `cause` and is printed by the one formatter, never pasted into the message. DESIGN 12.
 */

/** What went wrong, for programs. */
export type FlexiqErrorCode =
  /** Locked for longer than the busy timeout. */
  | "busy"
  | "read-only"
  | "disk-full"
  | "corrupt"
  /** Written by a later version. */
  | "newer-schema"
  /** A SQLite file of something else. */
  | "foreign-file"
  | "network-filesystem"
  | "no-sqlite"
  | "cannot-open"
  /** Deleted or moved away while it was open. */
  | "file-missing"
  /** Another file has taken the path of the open one. */
  | "file-replaced"
  /** The disk failed. */
  | "io"
  /** SQLite refused a statement of ours: a bug. */
  | "sqlite"
  | "closed"
  | "unknown-task"
  | "unknown-job"
  | "invalid-option"
  | "not-serialisable"
  /** More than SQLite holds in one row. */
  | "too-big"
  | "wrong-state"
  /** `--app` names no file, a file that does not load, or no queue. */
  | "app"
  | "job-dead"
  | "job-cancelled"
  | "job-timeout"
  | "result-timeout"
  | "stopped"
  /** The address for metrics and status cannot be had. */
  | "cannot-listen"
  /** The file with the token for metrics and status cannot be used. */
  | "token-file"
  | "locked-by-other";

export class FlexiqError extends Error {
  override readonly name: string = "FlexiqError";
  readonly code: FlexiqErrorCode;

  constructor(code: FlexiqErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
