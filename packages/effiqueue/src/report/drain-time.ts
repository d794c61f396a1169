/** How long a queue takes to empty at the present pace, on every screen the same. DESIGN 6.7, 6.8. Pure. */

/** Doubles that ought to be equal are not: below this part of lambda the workers gain nothing on what arrives. */
const DUST = 1e-9;

/** `null`: unknown. */
interface Flow {
  readonly backlog: number | null;
  readonly muPerSec: number | null;
  readonly lambdaPerSec: number | null;
  readonly workers: number | null;
}

/** Seconds until the queue is empty at this pace; `Infinity`: never; `null`: unknown. */
export function drainSecOf({ backlog, muPerSec, lambdaPerSec, workers }: Flow): number | null {
  if (backlog === 0) return 0;
  if (backlog === null || muPerSec === null || lambdaPerSec === null || workers === null) return null;
  const gain = muPerSec * workers - lambdaPerSec;
  return gain <= DUST * lambdaPerSec ? Number.POSITIVE_INFINITY : backlog / gain;
}
