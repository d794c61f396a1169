/** What an operator can set of the hpa policy, its defaults, and what each field may be. DESIGN 8. Pure. */

export interface HpaConfig {
  /** Workers, >= 0: the pool is never smaller. */
  readonly minWorkers: number;
  /** Workers, >= 1 and >= `minWorkers`: the pool is never larger. */
  readonly maxWorkers: number;
  /** Pending jobs that one worker is expected to absorb, > 0. */
  readonly targetQueueDepthPerWorker: number;
  /** Share of the slots that should be in use, in (0, 1]. */
  readonly targetUtilisation: number;
  /** Seconds, >= 0. */
  readonly scaleUpWindowSec: number;
  /** Seconds, >= 0. */
  readonly scaleDownWindowSec: number;
  /** Share of the present count within which a wish is noise, in [0, 1]. */
  readonly tolerance: number;
  /** Job slots of one worker, >= 1; live workers that publish theirs overrule it. */
  readonly threadsPerWorker: number;
}

export const HPA_DEFAULTS: HpaConfig = {
  minWorkers: 1,
  maxWorkers: 10,
  targetQueueDepthPerWorker: 15,
  targetUtilisation: 0.75,
  scaleUpWindowSec: 0,
  scaleDownWindowSec: 300,
  tolerance: 0.1,
  threadsPerWorker: 4,
};

export interface HpaConfigProblem {
  readonly field: keyof HpaConfig;
  readonly expected: string;
  readonly got: unknown;
}

/** Every field that is out of range, each with what would be right. */
export class HpaConfigError extends RangeError {
  override readonly name = "HpaConfigError";
  readonly problems: readonly HpaConfigProblem[];

  constructor(problems: readonly HpaConfigProblem[]) {
    super(problems.map(({ field, expected, got }) => `${field}: expected ${expected}, got ${String(got)}`).join("; "));
    this.problems = problems;
  }
}

interface Rule {
  readonly expected: string;
  readonly holds: (value: number, config: HpaConfig) => boolean;
}

const SECONDS: Rule = { expected: "seconds >= 0", holds: (value) => Number.isFinite(value) && value >= 0 };

const RULES: Readonly<Record<keyof HpaConfig, Rule>> = {
  minWorkers: { expected: "a whole number >= 0", holds: (value) => Number.isSafeInteger(value) && value >= 0 },
  maxWorkers: {
    expected: "a whole number >= 1 and >= minWorkers",
    // A floor that is no number is reported once, as the floor.
    holds: (value, { minWorkers }) => Number.isSafeInteger(value) && value >= 1 && !(value < minWorkers),
  },
  targetQueueDepthPerWorker: { expected: "a number > 0", holds: (value) => Number.isFinite(value) && value > 0 },
  targetUtilisation: { expected: "a number > 0 and <= 1", holds: (value) => value > 0 && value <= 1 },
  scaleUpWindowSec: SECONDS,
  scaleDownWindowSec: SECONDS,
  tolerance: { expected: "a number >= 0 and <= 1", holds: (value) => value >= 0 && value <= 1 },
  threadsPerWorker: { expected: "a whole number >= 1", holds: (value) => Number.isSafeInteger(value) && value >= 1 },
};

/** Everything that is wrong with a configuration; empty when it can be used. */
export function hpaConfigProblems(config: HpaConfig): HpaConfigProblem[] {
  const fields = Object.keys(RULES) as (keyof HpaConfig)[];
  return fields.flatMap((field) => {
    const got: unknown = config[field];
    const { expected, holds } = RULES[field];
    return typeof got === "number" && holds(got, config) ? [] : [{ field, expected, got }];
  });
}

/** @throws HpaConfigError naming every field that is out of range */
export function assertHpaConfig(config: HpaConfig): void {
  const problems = hpaConfigProblems(config);
  if (problems.length > 0) throw new HpaConfigError(problems);
}
