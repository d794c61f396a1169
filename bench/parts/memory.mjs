// How much memory workers take: what their resident sizes add up to, what we take it for, and what the kernel charges for them. And
// what it costs to know.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hostMemoryProbe } from "../../packages/effiqueue/dist/observe/host/index.js";
import { rssMb } from "../lib/proc.mjs";
import { median, ratios, spread } from "../lib/stats.mjs";
import { sleep, waitFor } from "../lib/wait.mjs";

const WORKERS = 20;
const MIB = 1024 ** 2;
/** Until they have loaded what they load. */
const SETTLED_MS = 5_000;
const LOOKS = 8;

const herd = (file) => fileURLToPath(new URL(`../herds/${file}`, import.meta.url));

/** Node is copied, so that the pages of its program are shared by these alone, and charged to their group. */
const HERDS = [
  {
    title: "Node",
    command: (root) =>
      `cp "${process.execPath}" "${root}/node" && exec "${root}/node" "${herd("node.mjs")}" ${WORKERS}`,
  },
  { title: "Python, forked from one parent", command: () => `exec python3 "${herd("python.py")}" ${WORKERS}` },
  { title: "PHP, forked from one parent", command: () => `exec php "${herd("php.php")}" ${WORKERS}` },
];

export async function memory({ root, rounds, say }) {
  const herds = [];
  const cost = { sampled: [], all: [] };
  for (const { title, command } of HERDS) {
    const group = newGroup();
    const before = availableBytes();
    const { pids, end } = await start(command(root), group);
    await sleep(SETTLED_MS);
    const result = await measure(pids, group, before);
    herds.push({ title, ...result });
    say(`memory: ${title} ${JSON.stringify(result)}`);
    if (title === "Node") await looks(pids, rounds, cost);
    await end();
  }
  return { herds, cost };
}

async function measure(pids, group, availableBefore) {
  const { groupBytes } = await hostMemoryProbe().read(pids);
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  return {
    processes: pids.length,
    rssMiB: sum(pids.map(rssMb)),
    pssMiB: sum([...groupBytes.values()]) / MIB,
    chargedMiB: group === null ? null : group.chargedBytes() / MIB,
    availableFellMiB: (availableBefore - availableBytes()) / MIB,
  };
}

/** CPU of a look as the daemon does it, and of one that asks for all pages of all processes, in turns. */
async function looks(pids, rounds, cost) {
  const usual = hostMemoryProbe();
  await usual.read(pids);
  for (let round = 0; round < rounds; round += 1) {
    cost.sampled.push(await cpuMs(() => usual.read(pids)));
    // One that has seen nobody yet asks everybody.
    cost.all.push(await cpuMs(() => hostMemoryProbe().read(pids)));
  }
}

async function cpuMs(look) {
  const before = process.cpuUsage();
  for (let i = 0; i < LOOKS; i += 1) await look();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / LOOKS;
}

async function start(command, group) {
  const script = group === null ? command : `echo $$ > "${group.folder}/cgroup.procs" && ${command}`;
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "inherit"], env });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more) => {
    text += more;
  });
  const pidsSaid = () =>
    text
      .split("\n")
      .filter((line) => /^\d+$/.test(line))
      .map(Number);
  const kill = () => {
    for (const pid of [...pidsSaid(), child.pid]) tryTo(() => process.kill(pid, "SIGKILL"));
  };
  process.once("exit", kill);
  const pids = await waitFor(() => pidsSaid().length > WORKERS && pidsSaid(), `${WORKERS} workers`, {
    timeoutMs: 120_000,
  });
  return {
    pids,
    async end() {
      kill();
      process.off("exit", kill);
      if (group !== null) await waitFor(() => tryTo(() => rmdirSync(group.folder)), "the group to be empty");
    },
  };
}

const tryTo = (work) => {
  try {
    work();
    return true;
  } catch {
    return false;
  }
};

/** What a group is charged for each page once: private ones, and those of files that somebody in it has mapped. */
const GROUPS = [
  { parent: "/sys/fs/cgroup/memory", proof: "memory.usage_in_bytes", fields: ["total_rss", "total_mapped_file"] },
  { parent: "/sys/fs/cgroup", proof: "memory.current", fields: ["anon", "file_mapped"] },
];

/** `null`: this machine lets us make none. */
function newGroup() {
  for (const { parent, proof, fields } of GROUPS) {
    const folder = join(parent, `flexiq-bench-${process.pid}`);
    if (!tryTo(() => mkdirSync(folder))) continue;
    if (!existsSync(join(folder, proof))) {
      rmdirSync(folder);
      continue;
    }
    // Else its members would be charged for swap elsewhere.
    tryTo(() => writeFileSync(join(folder, "memory.swappiness"), "0"));
    const stat = () => readFileSync(join(folder, "memory.stat"), "utf8");
    const field = (name) => Number(new RegExp(`^${name} (\\d+)$`, "m").exec(stat())?.[1]);
    return { folder, chargedBytes: () => fields.reduce((sum, name) => sum + field(name), 0) };
  }
  return null;
}

function availableBytes() {
  return Number(/^MemAvailable:\s+(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8"))?.[1]) * 1024;
}

const off = (value, truth) => `${value >= truth ? "+" : "-"}${Math.abs(100 * (value / truth - 1)).toFixed(0)}%`;

export const memoryRows = ({ herds, cost }) => [
  ...herds.map(({ title, rssMiB, pssMiB, chargedMiB, availableFellMiB }) => {
    const truth = chargedMiB ?? availableFellMiB;
    return {
      figure: `${WORKERS} workers of ${title}: what we take them for, beside what ${chargedMiB === null ? "the machine has less" : "the kernel charges for them"}`,
      target: "within 10%",
      text: `${pssMiB.toFixed(0)} of ${truth.toFixed(0)} MiB, ${off(pssMiB, truth)} (resident sizes: ${rssMiB.toFixed(0)} MiB, ${(rssMiB / truth).toFixed(1)} x)`,
      ok: Math.abs(pssMiB / truth - 1) <= 0.1,
    };
  }),
  {
    figure: `CPU of a look at ${WORKERS} workers of Node, of one that asks for the pages of all (${median(cost.all).toFixed(1)} ms)`,
    target: "<= 0.7",
    measured: spread(ratios(cost.sampled, cost.all)),
    unit: "x",
    ok: median(ratios(cost.sampled, cost.all)) <= 0.7,
  },
];
