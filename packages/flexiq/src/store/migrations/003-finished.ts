/**
 * How many jobs a worker has finished, by its own count, so that one that has done enough can be replaced. DESIGN 9.2, 10.3.
 */
export const FINISHED = "ALTER TABLE workers ADD COLUMN finished INTEGER NOT NULL DEFAULT 0;";
