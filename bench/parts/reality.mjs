// Whether life agrees with the simulator: the daemon on a real broker with real workers, recorded, and the same arrivals simulated.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "amqplib";
import { programConfig } from "effiqueue/decide";
import { drawSimulation, PLANT, parseTrace, simulate } from "effiqueue/simulate";
import { start, stop } from "../lib/lane.mjs";
import { freePort, startRabbit } from "../lib/servers.mjs";
import { nowMs, sleep, waitFor } from "../lib/wait.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const CLI = path("../../packages/effiqueue/dist/cli/main.js");
const WORKER = path("../control/worker.mjs");
const PICTURE = path("../../docs/simulated-and-measured.svg");

const QUEUE = "reality";
const MEAN_MS = 600;
const LIMITS = { minWorkers: 1, maxWorkers: 12, sloDrainTime: 20, pollInterval: 2 };
const EVERY_SEC = 5;
/** Messages/s, and for how many seconds: quiet, a rise, a fall, a short flood, quiet. */
const SCRIPT = [
  [1, 60],
  [6, 80],
  [12, 100],
  [4, 80],
  [25, 20],
  [1.5, 120],
];
const SEEDS = 20;

export async function reality({ root, script = SCRIPT, say }) {
  const broker = await startRabbit(root);
  if (broker.missing) throw new Error(broker.missing);
  try {
    const { csv, startupSec } = await recorded(broker, mkdtempSync(join(root, "reality-")), script, say);
    return { broker: broker.version, ...compared(csv, startupSec), startupSec };
  } finally {
    broker.stop();
  }
}

async function recorded(broker, dir, script, say) {
  await broker.api("PUT", `/queues/%2F/${QUEUE}`, { durable: false });
  const [config, out, starts] = ["effiqueue.toml", "trace.csv", "starts"].map((name) => join(dir, name));
  const port = await freePort();
  writeFileSync(
    config,
    `queue_connection = "${broker.url}"
management_url = "${broker.managementUrl}"
queue_name = "${QUEUE}"
command = "${process.execPath} ${WORKER} ${broker.url} ${QUEUE} ${MEAN_MS}"
min_workers = ${LIMITS.minWorkers}
max_workers = ${LIMITS.maxWorkers}
slo_drain_time = ${LIMITS.sloDrainTime}
poll_interval = ${LIMITS.pollInterval}
metrics_addr = "127.0.0.1:${port}"
state_dir = "${join(dir, "state")}"
env = { STARTS = "${starts}" }
`,
  );
  const daemon = start(process.execPath, [CLI, "run", "--config", config], { stdio: "ignore" });
  const serving = async () => ((await broker.api("GET", `/queues/%2F/${QUEUE}`)).consumers ?? 0) > 0;
  await waitFor(serving, "the first worker", { timeoutMs: 60_000, everyMs: 500 });
  const recording = start(
    process.execPath,
    [CLI, "record", "--config", config, "--out", out, "--every", `${EVERY_SEC}s`],
    { stdio: "ignore" },
  );
  await publish(broker.url, script, say);
  await stop(recording, "SIGINT", 20_000);
  await stop(daemon, "SIGTERM", 60_000);
  const startups = readFileSync(starts, "utf8").trim().split("\n").map(Number);
  return { csv: readFileSync(out, "utf8"), startupSec: startups.reduce((a, b) => a + b, 0) / startups.length };
}

/** A Poisson process at the rates of the script, each message at its instant, however late the timer was. */
async function publish(url, script, say) {
  const connection = await connect(url);
  const channel = await connection.createChannel();
  let at = nowMs();
  for (const [perSec, seconds] of script) {
    say(`reality: ${perSec} messages/s for ${seconds} s`);
    const end = at + 1000 * seconds;
    for (;;) {
      const gap = (-1000 * Math.log(1 - Math.random())) / perSec;
      if (at + gap > end) break;
      at += gap;
      if (at > nowMs()) await sleep(at - nowMs());
      channel.sendToQueue(QUEUE, Buffer.from("work"));
    }
    at = end;
    if (at > nowMs()) await sleep(at - nowMs());
  }
  await channel.close();
  await connection.close();
}

function compared(csv, startupSec) {
  const trace = parseTrace(csv);
  const program = programConfig({
    command: "worker",
    queueConnection: "amqp://localhost",
    queueName: QUEUE,
    ...LIMITS,
  });
  const { service_sec: meanSec = MEAN_MS / 1000 } = trace.facts;
  const first = trace.measured.workers.find((count) => count !== null) ?? 1;
  const plant = {
    service: { law: "lognormal", meanSec, cv: 0.5 },
    startupSec,
    initialWorkers: first,
    quietSec: 0,
    broker: PLANT.broker,
  };
  const runs = Array.from({ length: SEEDS }, (_, i) =>
    simulate({ program, trace, plant, seed: i + 1, sampleSec: EVERY_SEC }),
  );
  // The moment at the end of an interval is what was measured there.
  const at = (run, i) => run.moments[i + 1];
  const workersOf = (run, i) => at(run, i).starting + at(run, i).serving;
  const pairs = trace.measured.workers.flatMap((workers, i) =>
    workers === null || runs[0].moments.length <= i + 1 ? [] : [{ workers, i }],
  );
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const measured = mean(pairs.map(({ workers }) => workers));
  const predicted = mean(runs.map((run) => mean(pairs.map(({ i }) => workersOf(run, i)))));
  const apart = (run, of) => mean(pairs.map(({ i }) => Math.abs(of(i) - workersOf(run, i))));
  const backlog = mean(trace.measured.backlog.map((value) => value ?? 0));
  const predictedBacklog = mean(runs.map((run) => mean(pairs.map(({ i }) => at(run, i).backlog))));
  writeFileSync(
    PICTURE,
    drawSimulation(runs[0], { title: "RabbitMQ with real workers: predicted, and measured", trace }),
  );
  return {
    serviceSec: meanSec,
    workers: {
      measured,
      predicted,
      apart: mean(runs.map((run) => apart(run, (i) => trace.measured.workers[i]))),
      chance: mean(runs.slice(1).map((run) => apart(run, (i) => workersOf(runs[0], i)))),
    },
    backlog: { measured: backlog, predicted: predictedBacklog },
    trace: csv,
  };
}

export function realityRows({ workers, backlog }) {
  const ratio = workers.predicted / workers.measured;
  return [
    {
      figure: "Mean workers, predicted of measured",
      target: "0.9 to 1.1",
      text: `${workers.predicted.toFixed(2)} of ${workers.measured.toFixed(2)}`,
      ok: ratio >= 0.9 && ratio <= 1.1,
    },
    {
      figure: "How far predicted and measured workers are apart, moment by moment",
      target: "as far as two simulated runs, or one worker",
      text: `${workers.apart.toFixed(2)} (two simulated ones: ${workers.chance.toFixed(2)})`,
      ok: workers.apart <= Math.max(1, 1.5 * workers.chance),
    },
    {
      figure: "Mean backlog, predicted and measured",
      target: "none",
      text: `${backlog.predicted.toFixed(1)} and ${backlog.measured.toFixed(1)} messages`,
      ok: true,
    },
  ];
}
