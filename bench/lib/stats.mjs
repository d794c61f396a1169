// Medians, quantiles and the spread of rounds: the only statistics the tables use.

export function quantile(values, q) {
  if (values.length === 0) return Number.NaN;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  return low + (high - low) * (at - Math.floor(at));
}

export const median = (values) => quantile(values, 0.5);

/** What a figure is reported as: its median, and how far single rounds strayed from it. */
export const spread = (values) => ({
  median: median(values),
  min: Math.min(...values),
  max: Math.max(...values),
  rounds: values.length,
});

/** Ratios of neighbours in time: noise that lasts longer than a round hits both sides and cancels out. */
export const ratios = (values, references) => values.map((value, round) => value / references[round]);
