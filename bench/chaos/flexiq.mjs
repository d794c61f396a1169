// An autoscaler of flexiq on a file of SQLite: every job whose enqueue was acknowledged completes, whatever happens around it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Queue } from "flexiq";
import { sleep, waitFor } from "../lib/wait.mjs";
import { commonSteps } from "./common-steps.mjs";
import { keeperOf } from "./keeper.mjs";
import { settled } from "./registry.mjs";
import { newTable } from "./table.mjs";

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const CLI = path("../../packages/flexiq/dist/cli/main.js");
const LOCKER = path("../../packages/flexiq/test/fixtures/lock-file.mjs");
const APP = path("tasks.mjs");

const MAX = 4;
const MOST_RSS_MB = 200;
const DONE_MS = 180_000;
/** More deaths of workers than one job can meet. */
const MAX_RETRIES = 1_000;

export async function flexiqScene(root) {
  const table = newTable();
  const dbPath = join(root, "jobs.db");
  const queue = new Queue({ dbPath, busyTimeoutMs: 30_000 });
  const flags = { app: APP, "min-workers": 0, "max-workers": MAX, "poll-interval": 0.3, "drain-timeout": 3 };
  const windows = { "scale-up-window": 0, "scale-down-window": 1 };
  const keeper = keeperOf({
    args: [
      CLI,
      "autoscale",
      ...Object.entries({ ...flags, ...windows }).flatMap(([key, value]) => [`--${key}`, String(value)]),
    ],
    cwd: root,
    env: { ...table.env, FLEXIQ_DB_PATH: dbPath },
    logFile: join(root, "log"),
    drained: () => table.living().length === 0,
  });
  const pools = [{ folder: `${dbPath}.autoscale`, max: MAX }];
  let acknowledged = 0;

  const add = async (count) => {
    const jobs = Array.from({ length: count }, (_, i) => ({
      task: "nap",
      args: [10 + (i % 7) * 20],
      options: { maxRetries: MAX_RETRIES },
    }));
    acknowledged += (await queue.enqueueMany(jobs)).length;
  };
  const { mend, steps: common } = commonSteps({ who: "autoscaler", keeper, table, pools });

  const steps = {
    burst: [
      5,
      async (random) => {
        const count = random.between(20, 300);
        await add(count);
        return String(count);
      },
    ],
    ...common,
    "lock the file": [
      2,
      async (random) => {
        const locker = spawn(process.execPath, [LOCKER, dbPath], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
        await once(locker, "message");
        await sleep(random.between(500, 3_000));
        locker.send("let go");
        await once(locker, "exit");
      },
    ],
  };

  return {
    steps,
    begin: async () => {
      await keeper.start();
      await settled(table, pools);
    },
    check: async () => {
      keeper.check();
      await settled(table, pools);
      // No job goes missing, and none twice: they are all in one state or another.
      const { pending, running, completed, failed, dead, cancelled } = await queue.stats();
      const known = pending + running + completed + failed + dead + cancelled;
      if (known !== acknowledged || dead > 0) throw new Error(`${acknowledged} jobs, ${known} known, ${dead} dead`);
      keeper.check();
    },
    end: async () => {
      mend();
      const isDone = async () => (await queue.stats()).completed === acknowledged;
      await waitFor(isDone, "all jobs to complete", { timeoutMs: DONE_MS, everyMs: 200 });
      const rssMb = keeper.rssMb();
      if (rssMb > MOST_RSS_MB) throw new Error(`the autoscaler takes ${rssMb} MB`);
      await keeper.stop();
      return { jobs: acknowledged, rssMb };
    },
    destroy: () => {
      keeper.destroy();
      table.killAll();
      queue.close();
    },
  };
}
