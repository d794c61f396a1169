// Writes docs/metrics.md from the tables of metrics (report/metrics/table.ts, and flexiq's queue-metrics.ts), so that the page cannot be wrong.
// `--check` writes nothing and exits 1 when the file is stale. Needs no build. An argument names another root (for tests).
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCE = "packages/effiqueue/src/report/metrics/table.ts";
const QUEUE_SOURCE = "packages/flexiq/src/autoscale/queue-metrics.ts";
const PAGE = "docs/metrics.md";

const INTRODUCTION = `# Metrics

Generated from \`${SOURCE}\` and \`${QUEUE_SOURCE}\`
by \`node scripts/generate-metrics.mjs\`; change them there.

\`GET /metrics\` on \`metrics_addr\` answers in the text format of Prometheus. Without \`metrics_token_file\` nobody is asked for a token: keep the
address on a private interface then. A value that is not known has no series, so that it is not taken for zero; only \`effiqueue_workers_needed\`
says \`-1\`. Look at \`effiqueue_mu_source\` first: 0 means that the daemon does not know yet how fast a worker is. Alert on
\`effiqueue_feasibility_gap > 0\`, which says that this machine cannot keep the promise, and on \`effiqueue_up == 0\`.
`;

/** A table imports nothing at run time, so its text alone is a module. */
async function tableOf(source) {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputText).toString("base64")}`);
}

const cell = (text) => text.replaceAll("|", "\\|");

function section(title, note, metrics) {
  const rows = metrics.map(({ name, type, unit, help }) => `| \`${name}\` | ${type} | ${cell(unit)} | ${cell(help)} |`);
  return [`## ${title}`, "", note, "", "| metric | type | unit | |", "| --- | --- | --- | --- |", ...rows, ""].join(
    "\n",
  );
}

export async function pageOf(source, queueSource) {
  const { QUEUE_METRICS } = await tableOf(queueSource);
  const labelled = QUEUE_METRICS.filter(({ label }) => label !== undefined).map(
    ({ name, label }) => `\`${name}\` has \`${label}\``,
  );
  const { PROGRAM_METRICS, DURATION_METRICS, PROCESS_METRICS } = await tableOf(source);
  const kinds = PROGRAM_METRICS.filter(({ byKind }) => byKind !== undefined).map(({ name }) => `\`${name}\``);
  const label = `Each has the label \`program\`; ${kinds.join(" and ")} have \`kind\` as well.`;
  return [
    INTRODUCTION,
    section("Of each program", label, [...PROGRAM_METRICS, ...DURATION_METRICS]),
    section(
      "Of a flexiq queue",
      `Beside all of the others, from \`flexiq autoscale --metrics-addr\`. Each has the label \`program\`; ${labelled.join(" and ")} as well.`,
      QUEUE_METRICS,
    ),
    section("Of the daemon", "Without a label, unless the text names one.", PROCESS_METRICS),
  ].join("\n");
}

async function main(args) {
  const given = args.find((argument) => !argument.startsWith("--"));
  const root = resolve(given ?? fileURLToPath(new URL("..", import.meta.url)));
  const target = join(root, PAGE);
  const wanted = await pageOf(...[SOURCE, QUEUE_SOURCE].map((source) => readFileSync(join(root, source), "utf8")));
  if (!args.includes("--check")) {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, wanted);
  } else if (!existsSync(target) || readFileSync(target, "utf8") !== wanted) {
    console.error(`${PAGE} is stale: run \`node scripts/generate-metrics.mjs\``);
    process.exitCode = 1;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
