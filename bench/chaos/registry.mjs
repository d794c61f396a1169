// What a pool has written down of its workers, and whether it is what the kernel says.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "../lib/wait.mjs";

/** Time in which an adopted worker is looked at, a dead one replaced, and a stop carried out, on a busy machine. */
const SETTLED_MS = 45_000;

const fileOf = (folder) => join(folder, "workers.json");

const recordsOf = (folder) => {
  try {
    return JSON.parse(readFileSync(fileOf(folder), "utf8")).workers;
  } catch {
    return []; // not written yet, or just being put aside
  }
};

/** Half of the list, as a disk that lost the rest would have it. */
export const truncate = (folder) => {
  if (!existsSync(fileOf(folder))) return;
  const text = readFileSync(fileOf(folder), "utf8");
  writeFileSync(fileOf(folder), text.slice(0, text.length / 2));
};

/**
 * Waits until every worker is on the list of its pool, nobody else is, no process of theirs is outside of their groups, and no pool has
 * more that work than it may have.
 */
export async function settled(table, pools) {
  let why = "";
  const fits = () => {
    why = difference(table, pools);
    return why === "";
  };
  await waitFor(fits, "registry and process table to agree", { timeoutMs: SETTLED_MS, everyMs: 100 }).catch((error) => {
    throw new Error(`${error.message}: ${why}`);
  });
}

function difference(table, pools) {
  const living = table.living().filter(({ worker }) => worker !== undefined);
  const records = pools.flatMap(({ folder }) =>
    recordsOf(folder).map(({ identity, state }) => ({ ...identity, state })),
  );
  const listed = new Set(records.map(({ pid }) => pid));
  const groups = new Set(living.filter(({ pid, group }) => pid === group).map(({ pid }) => pid));
  const unknown = living.filter(({ group }) => !listed.has(group));
  if (unknown.length > 0) return `nobody knows ${unknown.map(({ pid, worker }) => `${pid} (${worker})`).join(", ")}`;
  const dead = [...listed].filter((pid) => !groups.has(pid));
  if (dead.length > 0) return `listed and dead: ${dead.join(", ")}`;
  for (const { folder, max } of pools) {
    const working = recordsOf(folder).filter(({ state }) => state === "working").length;
    if (working > max) return `${working} work in ${folder}, ${max} may`;
  }
  return "";
}
