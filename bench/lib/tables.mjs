// The results as Markdown: what was promised and what was measured, then the field beside it.

const number = (value) => {
  if (value >= 1000) return Math.round(value).toLocaleString("en-US");
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
};

function measured({ measured: figure, value, text, unit }) {
  if (text !== undefined) return text;
  const suffix = unit === "%" ? "%" : ` ${unit}`;
  if (figure === undefined) return `${value < 0.1 ? value.toFixed(3) : number(value)}${suffix}`;
  return `${number(figure.median)}${suffix} (${number(figure.min)} .. ${number(figure.max)})`;
}

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

const targets = (rows) =>
  table(
    ["figure", "target", "measured", ""],
    rows.map((row) => [row.figure, row.target, measured(row), row.ok ? "reached" : "**missed**"]),
  );

const rate = ({ perSec, ofBare }) => `${number(perSec.median)} (${number(ofBare.median)})`;

const enqueueField = (results) =>
  table(
    ["enqueue, per second (of bare)", "one per call", "100 per call", "1,000 per call"],
    results.map(({ title, durability, single, batched }) => [
      `${title}${durability === "full" ? ", durability full" : ""}`,
      rate(single),
      ...Object.values(batched).map(rate),
    ]),
  );

const drainField = (results) =>
  table(
    ["drain of no-ops, per second", "1 worker", "4 workers"],
    results.map(({ title, workers }) => [
      title,
      ...Object.values(workers).map(
        ({ perSec }) => `${number(perSec.median)} (${number(perSec.min)} .. ${number(perSec.max)})`,
      ),
    ]),
  );

const scalingField = (results) =>
  table(
    ["drain of no-ops in turns, per second", "1 worker", "4 workers", "four to one"],
    results.map(({ title, one, four, fourToOne }) => [
      title,
      ...[one, four, fourToOne].map(({ median }) => number(median)),
    ]),
  );

const latencyField = (results) =>
  table(
    ["enqueue to start, idle worker", "p50 ms", "p99 ms", "longest ms", "idle CPU, % of a core"],
    results.map(({ title, p50, p99, max, idleCpu }) => [
      title,
      number(p50),
      number(p99),
      number(max),
      (100 * (idleCpu.fine ?? idleCpu.stat)).toFixed(3),
    ]),
  );

const stormField = (results) =>
  table(
    ["20,000 jobs, a kill each second", "kills", "lost", "stuck", "finished more than once"],
    results.map(({ title, kills, lost, stuck, finishedMoreThanOnce }) => [
      title,
      kills,
      lost,
      stuck,
      finishedMoreThanOnce,
    ]),
  );

const controlField = ({ summary, seeds, workloads }) =>
  table(
    [
      `${workloads.length} workloads, ${seeds} realisations each`,
      "keep the SLO",
      "and cost at most 1.15 x",
      "cost",
      "late",
      "changes an hour",
    ],
    summary.map(({ name, runs, passes, frugal, cost, late, actionsPerHour }) => [
      name,
      `${passes} of ${runs}`,
      frugal,
      `${cost.toFixed(2)} x`,
      `${(100 * late).toFixed(1)}%`,
      actionsPerHour.toFixed(0),
    ]),
  );

/** What the README shows of it. */
export const controlTable = ({ data }) => controlField(data);

const FIELDS = {
  enqueue: enqueueField,
  drain: drainField,
  scaling: scalingField,
  latency: latencyField,
  storm: stormField,
  control: controlField,
};

const TITLES = {
  enqueue: "Enqueue",
  drain: "Drain",
  scaling: "Four workers beside one",
  latency: "From enqueue to start, and the price of waiting",
  recovery: "After a kill",
  storm: "A storm of kills",
  autoscaler: "The autoscaler of flexiq",
  control: "Control",
  reality: "The simulator against a real broker",
  daemon: "The daemon",
  memory: "The memory of workers",
  viewers: "The daemon while people look on",
  soak: "The daemon in the long run",
  chaos: "Chaos",
  flapping: "A broker that flaps",
};

/** The document's generated part: each part with when and on what it was measured. */
export const render = (results) =>
  Object.entries(results)
    .map(([name, part]) => partOf(name, part))
    .join("\n\n");

function partOf(name, { machine, date, revision, load, versions, missing, rows, data }) {
  const { cpu, cores, memoryGb, kernel, node } = machine;
  const products = versions.map(
    ({ name: product, version, node: on }) => `${product} ${version}${on === node ? "" : ` on Node ${on}`}`,
  );
  return [
    `### ${TITLES[name]}`,
    `Measured ${date.slice(0, 10)} at ${revision}, on ${cores} cores (${cpu}), ${memoryGb} GB, Linux ${kernel}, Node ${node}; load average ${load.before[0]} before, ${load.after[0]} after.${products.length > 0 ? ` ${products.join(", ")}.` : ""}`,
    ...(missing.length > 0
      ? [`Not measured: ${missing.map(({ name: product, why }) => `${product} (${why})`).join(", ")}.`]
      : []),
    targets(rows),
    ...(name in FIELDS ? [FIELDS[name](data)] : []),
  ].join("\n\n");
}
