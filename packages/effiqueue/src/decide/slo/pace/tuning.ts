/**
 * The constants of the pace law, in one record, so that each idea can be switched off where it is measured. What each is worth stands in
 * DESIGN 2.14. Pure.
 */
export const TUNING = {
  /** Share of the SLO that a message may wait by plan. The rest is for what is not known: counts are seconds old, and work varies. */
  planShare: 0.5,
  /** Share of the SLO in which new workers make up for what is late by plan: sooner takes more of them, for a shorter time. */
  catchUpShare: 0.25,
  /** Share of the SLO that the full pool could still keep if a surge grew on until the next counting. Less is a last call. */
  surgeShare: 0.6,
  /** How much of a jump may not have been seen yet, for each message of it that was: more is left in one case of four. */
  jumpLeft: 3,
  /** Jumps of which the share that went on is: what was an hour ago says little of what arrives now. */
  jumpsHeard: 16,
  /** Seconds over which arrivals are averaged: some ten windows of a broker, long against chance and short against a day. */
  arrivalsSec: 30,
  /** Standard errors of a Poisson count beyond which arrivals have changed: chance does that once in some 400 windows. */
  surprise: 3,
  /** The same of a load that has stood still for long, of which a change is unlikely: once in a hundred hours and more. */
  steadySurprise: 5,
  /** Seconds without a change of arrivals after which the pool keeps the workers that keep up; infinity: never. */
  steadySec: 900,
  /** Seconds in which a pool under a steady load grows twice before it keeps one worker more: an hour has three turns up and three down. */
  regretSec: 2400,
  /** Share of the load that those then do on top of it, up to a whole worker. */
  regretShare: 0.2,
  /** Changes of direction, and the seconds within which a pool under a steady load makes no more of them. */
  mostTurns: 6,
  turnsSec: 3600,
  /** Seconds over which recent arrivals are averaged, to tell whether they are still what they were. */
  recentSec: [60, 300],
  /** Standard errors beyond which they are not. */
  changes: [4, 3.5],
  /** How much slower or faster (a logarithm) a worker is when its work is another. */
  otherWork: 0.6,
  /** Seconds a start is taken to last until one was seen: an interpreter with its libraries. */
  firstStartupSec: 5,
} as const;
