/**
 * The rhythm of a worker, in one place. DESIGN 10.1.
 */

/**
 * After a look that found nothing, further changes of the file wait this long. A quiet file is looked at the moment it changes;
 * one that others write ten thousand times a second costs an idle worker 1% of a core instead of all of it.
 */
export const QUIET_MS = 2;

/** With every slot taken, how often a changing file is looked at for cancellations. */
export const CANCEL_CHECK_MS = 150;

/** Workers look for dead ones twice a second. */
export const SWEEP_MS = 500;
/**
 * Every other sweep is also a poll for jobs, the net under the watch of the file: where that fails, a job waits a second. What an
 * idle worker costs is how often it is woken, so the two share a waking.
 */
export const SWEEPS_PER_POLL = 2;
/** Of so many sweeps one looks at all workers: behind several that are blocked, nobody else would look. */
export const SWEEPS_PER_FULL_LOOK = 20;

/** Retention and the like need no hurry. */
export const MAINTAIN_MS = 10_000;

/** Pause after a failed exchange: doubles up to the second figure. */
export const RETRY_FROM_MS = 20;
const RETRY_TO_MS = 1_000;

/** On a forced stop: how long handlers may take to heed their signal, and how long giving jobs back may be tried. */
export const ABORT_GRACE_MS = 800;
export const GIVE_BACK_MS = 3_000;

/** How long a process that ends from within blocks to give its jobs back: a locked file is mostly free after a few milliseconds. */
export const LAST_WORDS_MS = 500;

/** Between 0.75 and 1.25 of `ms`, so that workers started together do not stay in step. */
export const jittered = (ms: number): number => ms * (0.75 + Math.random() / 2);

export const nextRetryMs = (ms: number): number => Math.min(ms * 2, RETRY_TO_MS);
