// The contenders of a run: which there are, which can be had here, and how their two sides are started.

import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { secondNode } from "../../scripts/second-node.mjs";
import { Lane, start, stop } from "./lane.mjs";

const CHILD = fileURLToPath(new URL("../child.mjs", import.meta.url));
const PEERS = ["plainjob", "bullmq", "graphile-worker", "pg-boss"];
const NAMES = ["bare", "flexiq", ...PEERS];

const versionOf = (name) => {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name)) {
    try {
      return JSON.parse(readFileSync(join(folder, name, "package.json"), "utf8")).version;
    } catch {
      // Looked for in the next folder up.
    }
  }
  return null;
};

const packageOf = (name) => (name === "bare" ? "better-sqlite3" : name);

/**
 * @param servers what `startServers` returned
 * @returns entrants `{ name, variant, title, isPeer, version, node }`, and why the others are missing
 */
export async function assemble(servers) {
  const entrants = [];
  const missing = [];
  const newerNode = secondNode();
  for (const name of NAMES) {
    const version = versionOf(packageOf(name));
    const isPeer = PEERS.includes(name);
    try {
      if (version === null) throw new Error("its package could not be installed");
      // Only its names are read here, so this works on any Node.
      const { variants, server, nodeAtLeast = 20 } = await import(`../contenders/${name}.mjs`);
      if (server && servers[server].missing) throw new Error(servers[server].missing);
      const fitsHere = Number(process.versions.node.split(".")[0]) >= nodeAtLeast;
      const node = fitsHere ? process.execPath : newerNode?.path;
      if (!node) throw new Error(`needs Node ${nodeAtLeast}`);
      const nodeVersion = fitsHere ? process.versions.node : newerNode.version;
      for (const [variant, options] of Object.entries(variants)) {
        entrants.push({
          name,
          variant,
          title: options.title,
          only: options.only,
          warmUp: options.warmUp,
          isPeer,
          version,
          node,
          nodeVersion,
        });
      }
    } catch (error) {
      missing.push({ name, why: error.message });
    }
  }
  return { entrants, missing };
}

/** A variant that is tuned for one part has no place in the others. */
export const takesPart =
  (part) =>
  ({ only }) =>
    only === undefined || only.includes(part);

let queues = 0;

/** Folder, queue and servers of one match: nothing is shared with another. */
export function newContext(root, servers, entrant, extra = {}) {
  const dir = mkdtempSync(join(root, `${entrant.name}-`));
  return {
    db: join(dir, "bench.db"),
    out: dir,
    queue: `q${process.pid}_${queues++}`,
    redisPort: servers.redis.port,
    pgUrl: servers.postgres.url,
    variant: entrant.variant,
    durability: "normal",
    tasks: ["noop"],
    ...extra,
  };
}

export const openProducer = (entrant, context) =>
  Lane.open(entrant.node, CHILD, ["producer", entrant.name, JSON.stringify(context)], { BENCH_OUT: context.out });

/** Starts worker processes and waits until each is ready to claim. */
export async function openWorkers(entrant, context, count) {
  const { workerCommand, workersReady } = await import(`../contenders/${entrant.name}.mjs`);
  const each = Array.from({ length: count });
  if (workerCommand) {
    const { file, args, env } = workerCommand(context);
    const children = each.map(() => start(file, args, { env }));
    await workersReady(
      context,
      children.map(({ pid }) => pid),
    );
    return children.map((child) => ({ pid: child.pid, kill: () => child.kill("SIGKILL"), close: () => stop(child) }));
  }
  const args = ["worker", entrant.name, JSON.stringify(context)];
  return Promise.all(each.map(() => Lane.open(entrant.node, CHILD, args, { BENCH_OUT: context.out })));
}

/** What the handlers wrote down, of all workers. */
export function notes({ out }) {
  const files = readdirSync(out).filter((file) => file.endsWith(".jsonl"));
  return files.flatMap((file) =>
    readFileSync(join(out, file), "utf8")
      .split("\n")
      // A worker that was killed may have left half a line.
      .filter((line) => line.endsWith("}"))
      .map((line) => JSON.parse(line)),
  );
}
