// `npm run bench`: everything in one run on one machine, so that ratios mean something.
//
//   --only enqueue,drain,...   some parts; the committed results are left alone
//   --quick                    fewer rounds, to see whether it works
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { assemble } from "./lib/field.mjs";
import { describeMachine, load, revision } from "./lib/machine.mjs";
import { startPostgres, startRedis } from "./lib/servers.mjs";
import { render } from "./lib/tables.mjs";
import { autoscaler, autoscalerRows } from "./parts/autoscaler.mjs";
import { daemon, daemonRows } from "./parts/daemon.mjs";
import { drain, drainRows } from "./parts/drain.mjs";
import { enqueue, enqueueRows } from "./parts/enqueue.mjs";
import { latency, latencyRows } from "./parts/latency.mjs";
import { recovery, recoveryRows } from "./parts/recovery.mjs";
import { storm, stormRows } from "./parts/storm.mjs";
import { installPeers } from "./setup.mjs";

const PARTS = {
  enqueue: { run: enqueue, rows: enqueueRows, full: { rounds: 8 }, quick: { rounds: 2 } },
  drain: { run: drain, rows: drainRows, full: { rounds: 4, jobs: 40_000 }, quick: { rounds: 1, jobs: 10_000 } },
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
    full: { tickSec: 60, idleSec: 60, starts: 20, soakSec: 600 },
    quick: { tickSec: 20, idleSec: 20, starts: 3, soakSec: 0 },
    needsPeers: false,
  },
};

const HERE = fileURLToPath(new URL(".", import.meta.url));
const { values: flags } = parseArgs({
  options: { only: { type: "string" }, quick: { type: "boolean", default: false } },
});
const chosen = flags.only?.split(",") ?? Object.keys(PARTS);
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
const before = load();

const parts = {};
const rows = [];
for (const name of chosen) {
  const { run, rows: judge, full, quick } = PARTS[name];
  parts[name] = await run({ root, servers, entrants, say, ...(flags.quick ? quick : full) });
  rows.push(...judge(parts[name]));
}
for (const server of Object.values(servers)) await server.stop?.();

const versions = [
  ...new Map(entrants.map(({ name, version, nodeVersion }) => [name, { name, version, node: nodeVersion }])).values(),
];
for (const one of versions) if (one.name === "bare") one.name = "better-sqlite3";
const ofServers = {
  Redis: servers.redis?.version,
  PostgreSQL: servers.postgres?.version,
  RabbitMQ: parts.daemon?.broker,
};
for (const [name, version] of Object.entries(ofServers)) {
  if (version !== undefined) versions.push({ name, version, node: process.versions.node });
}
const results = {
  date: new Date().toISOString(),
  revision: revision(HERE),
  machine: describeMachine(),
  load: { before, after: load() },
  versions,
  missing,
  rows,
  parts,
};
const isComplete = !flags.quick && flags.only === undefined;
if (isComplete) {
  writeFileSync(join(HERE, "results/latest.json"), `${JSON.stringify(results, null, 1)}\n`);
  const document = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
  const [head, , tail] = readFileSync(document, "utf8").split(/(?<=<!-- results -->\n)|(?=<!-- end of results -->)/);
  writeFileSync(document, `${head}\n${render(results)}\n\n${tail}`);
}
console.log(render(results));
process.exit();
