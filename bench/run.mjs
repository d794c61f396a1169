// `npm run bench`: everything in one run on one machine, so that ratios mean something.
//
//   --only enqueue,drain,...   some parts
//   --traces DIR               the part control on the workloads of a folder, NAME.json and NAME.csv each, instead of its own; results are left alone
//   --seed N             the part chaos with the faults of an earlier run
//   --quick                    fewer rounds, to see whether it works; the committed results are left alone
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assemble } from "./lib/field.mjs";
import { describeMachine, load, revision } from "./lib/machine.mjs";
import { startPostgres, startRedis } from "./lib/servers.mjs";
import { controlTable, render } from "./lib/tables.mjs";
import { autoscaler, autoscalerRows } from "./parts/autoscaler.mjs";
import { chaos, chaosRows } from "./parts/chaos.mjs";
import { control, controlRows } from "./parts/control.mjs";
import { daemon, daemonRows, soak, soakRows } from "./parts/daemon.mjs";
import { drain, drainRows } from "./parts/drain.mjs";
import { enqueue, enqueueRows } from "./parts/enqueue.mjs";
import { flapping, flappingRows } from "./parts/flapping.mjs";
import { latency, latencyRows } from "./parts/latency.mjs";
import { memory, memoryRows } from "./parts/memory.mjs";
import { reality, realityRows } from "./parts/reality.mjs";
import { recovery, recoveryRows } from "./parts/recovery.mjs";
import { scaling, scalingRows } from "./parts/scaling.mjs";
import { storm, stormRows } from "./parts/storm.mjs";
import { viewers, viewersRows } from "./parts/viewers.mjs";
import { installPeers } from "./setup.mjs";

const PARTS = {
  enqueue: { run: enqueue, rows: enqueueRows, full: { rounds: 8 }, quick: { rounds: 2 } },
  drain: {
    run: drain,
    rows: drainRows,
    full: { rounds: 3, jobs: 100_000 },
    quick: { rounds: 1, jobs: 10_000 },
  },
  scaling: {
    run: scaling,
    rows: scalingRows,
    full: { pairs: 24, jobs: 1_500_000 },
    quick: { pairs: 4, jobs: 200_000 },
  },
  latency: {
    run: latency,
    rows: latencyRows,
    full: { rounds: 4, samples: 1000, idleSec: 30 },
    quick: { rounds: 1, samples: 50, idleSec: 5 },
  },
  recovery: { run: recovery, rows: recoveryRows, full: { kills: 20, respawns: 5 }, quick: { kills: 3, respawns: 1 } },
  storm: { run: storm, rows: stormRows, full: {}, quick: {} },
  autoscaler: {
    run: autoscaler,
    rows: autoscalerRows,
    full: { kills: 20, idleSec: 60, bursts: 3 },
    quick: { kills: 2, idleSec: 10, bursts: 1 },
  },
  daemon: {
    run: daemon,
    rows: daemonRows,
    full: { tickSec: 60, idleSec: 60, starts: 20 },
    quick: { tickSec: 20, idleSec: 20, starts: 3 },
    needsPeers: false,
  },
  memory: { run: memory, rows: memoryRows, full: { rounds: 10 }, quick: { rounds: 3 }, needsPeers: false },
  control: {
    run: control,
    rows: controlRows,
    full: { seeds: 3, hours: 20 },
    quick: { seeds: 1, hours: 3 },
    needsPeers: false,
  },
  reality: {
    run: reality,
    rows: realityRows,
    full: {},
    quick: {
      script: [
        [2, 20],
        [8, 30],
        [2, 20],
      ],
    },
    needsPeers: false,
  },
  viewers: {
    run: viewers,
    rows: viewersRows,
    full: { rounds: 8, seconds: 15 },
    quick: { rounds: 2, seconds: 5 },
    needsPeers: false,
  },
  soak: {
    run: soak,
    rows: soakRows,
    full: { warmUpSec: 480, seconds: 1_020 },
    quick: { warmUpSec: 60, seconds: 120 },
    needsPeers: false,
  },
  chaos: { run: chaos, rows: chaosRows, full: { seconds: 600 }, quick: { seconds: 60 }, needsPeers: false },
  flapping: { run: flapping, rows: flappingRows, full: { seconds: 300 }, quick: { seconds: 80 }, needsPeers: false },
};

const HERE = fileURLToPath(new URL(".", import.meta.url));
const { values: flags } = parseArgs({
  options: {
    only: { type: "string" },
    traces: { type: "string" },
    seed: { type: "string" },
    quick: { type: "boolean", default: false },
  },
});
const chosen = flags.only?.split(",") ?? (flags.traces === undefined ? Object.keys(PARTS) : ["control"]);
for (const name of chosen)
  if (!(name in PARTS)) throw new Error(`no part ${name}; there are ${Object.keys(PARTS).join(", ")}`);

const say = (line) => console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);

const withPeers = chosen.some((name) => PARTS[name].needsPeers !== false);
if (withPeers) installPeers();
const root = mkdtempSync(join(tmpdir(), "flexiq-bench-"));
// PostgreSQL runs as a user of its own and has to get at its folder.
chmodSync(root, 0o755);
process.on("exit", () => rmSync(root, { recursive: true, force: true }));
// Through `exit`, where every process that was started is ended.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(1));
const servers = withPeers ? { redis: await startRedis(root), postgres: await startPostgres(root) } : {};
const { entrants, missing } = withPeers ? await assemble(servers) : { entrants: [], missing: [] };
const given = { traces: flags.traces, ...(flags.seed !== undefined && { seed: Number(flags.seed) }) };
const results = {};
for (const name of chosen) {
  const { run, rows, full, quick } = PARTS[name];
  const before = load();
  const data = await run({ root, servers, entrants, say, ...given, ...(flags.quick ? quick : full) });
  results[name] = {
    date: new Date().toISOString(),
    revision: revision(HERE),
    machine: describeMachine(),
    load: { before, after: load() },
    versions: versionsOf(name, data),
    missing: PARTS[name].needsPeers === false ? [] : missing,
    rows: rows(data),
    data,
  };
  // One by one: what an hour has measured is not lost with the last part.
  if (!flags.quick && flags.traces === undefined) keep(results);
}
for (const server of Object.values(servers)) await server.stop?.();
console.log(render(results));
process.exit();

function versionsOf(name, data) {
  const node = process.versions.node;
  if (PARTS[name].needsPeers === false)
    return data.broker === undefined ? [] : [{ name: "RabbitMQ", version: data.broker, node }];
  const products = new Map(
    entrants.map(({ name: product, version, nodeVersion }) => {
      const title = product === "bare" ? "better-sqlite3" : product;
      return [title, { name: title, version, node: nodeVersion }];
    }),
  );
  const { redis, postgres } = servers;
  const ofServers = [
    { name: "Redis", version: redis.version, node },
    { name: "PostgreSQL", version: postgres.version, node },
  ];
  return [...products.values(), ...ofServers.filter(({ version }) => version !== undefined)];
}

/** A part that was measured now replaces what was known of it; the others stay as they are, each with its own date and revision. */
function keep(fresh) {
  const file = join(HERE, "results/latest.json");
  const known = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const all = Object.fromEntries(
    Object.keys(PARTS).flatMap((name) => {
      const part = fresh[name] ?? known[name];
      return part === undefined ? [] : [[name, part]];
    }),
  );
  writeFileSync(file, `${JSON.stringify(all, null, 1)}\n`);
  fill("../docs/benchmarks.md", "results", render(all));
  if (all.control !== undefined) fill("../README.md", "control", controlTable(all.control));
}

/** Writes between the two marks of a document. */
function fill(file, mark, text) {
  const document = fileURLToPath(new URL(file, import.meta.url));
  const [head, , tail] = readFileSync(document, "utf8").split(
    new RegExp(`(?<=<!-- ${mark} -->\\n)|(?=<!-- end of ${mark} -->)`),
  );
  writeFileSync(document, `${head}\n${text}\n\n${tail}`);
}
