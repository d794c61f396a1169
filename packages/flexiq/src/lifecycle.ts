/**
 * The states of a job and the moves between them, without I/O. DESIGN 9.3, 9.7. Pure.
 */

export const JOB_STATES = ["scheduled", "pending", "running", "completed", "failed", "dead", "cancelled"] as const;

export type JobState = (typeof JOB_STATES)[number];
