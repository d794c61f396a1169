/**
 * Metrics that are read elsewhere than off the board, such as those of an embedded queue: as data, and as text of the same
 * format. DESIGN 6.4. Pure.
 */

export interface MetricSample {
  /** Behind the name of the family: `_bucket`, `_sum` and `_count` of a histogram. */
  readonly suffix?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: "gauge" | "counter" | "histogram";
  readonly help: string;
  /** None: nothing is known now. */
  readonly samples: readonly MetricSample[];
}

/** Asked at each scrape. A family that it does not give has no series this time. */
export type MoreMetrics = () => Promise<readonly MetricFamily[]>;

/** Lines of the text format 0.0.4, each with its line feed. */
export const familiesText = (families: readonly MetricFamily[]): string => families.map(familyText).join("");

function familyText({ name, type, help, samples }: MetricFamily): string {
  const head = [`# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`, `# TYPE ${name} ${type}`];
  const lines = samples.map(
    ({ suffix = "", labels, value }) => `${name}${suffix}${labelsText(labels)} ${numberText(value)}`,
  );
  return [...head, ...lines].map((line) => `${line}\n`).join("");
}

function labelsText(labels: MetricSample["labels"]): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (value: string): string =>
  value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

/** As the format spells what JavaScript calls `Infinity`. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
