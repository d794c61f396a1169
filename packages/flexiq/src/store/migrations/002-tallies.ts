/**
 * What happened to jobs is counted as it happens, for finished jobs are deleted in time, and counting those that are still there
 * takes as long as there are many. One page, written once an exchange. DESIGN 9.2, 9.13.
 */
export const TALLIES = `
  CREATE TABLE tallies (
    -- How runs ended: completed, failed, cancelled; or deleted: completed jobs whose row is gone.
    name TEXT NOT NULL,
    -- The runs took at most so long; -1: nobody measured.
    at_most_ms INTEGER NOT NULL,
    count INTEGER NOT NULL,
    total_ms REAL NOT NULL,
    PRIMARY KEY (name, at_most_ms)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO tallies SELECT 'completed', -1, count(*), 0 FROM jobs INDEXED BY jobs_finished WHERE state IN (3, 5, 6) AND state = 3;
`;
