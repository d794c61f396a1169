// What may happen to whoever keeps a pool, and to its workers: the same for the daemon and for the autoscaler.
import { sleep } from "../lib/wait.mjs";
import { truncate } from "./registry.mjs";
import { signal } from "./table.mjs";

/**
 * @param who  keeps the pools, in words
 * @param mend what else is broken, besides workers that are held
 */
export function commonSteps({ who, keeper, table, pools, mend: mendOthers = () => undefined }) {
  const held = new Set();
  const victims = (random, count) => {
    const all = table.workers();
    return Array.from({ length: Math.min(count, all.length) }, () => random.pick(all).pid);
  };
  const mend = () => {
    mendOthers();
    for (const pid of held) signal(-pid, "SIGCONT");
    held.clear();
  };
  const steps = {
    quiet: [3, async (random) => void (await sleep(random.between(200, 2_000)))],
    "kill workers": [
      4,
      async (random) => victims(random, random.between(1, 4)).forEach((pid) => void signal(pid, "SIGKILL")),
    ],
    "hold a worker": [
      2,
      async (random) => {
        for (const pid of victims(random, 1)) if (signal(-pid, "SIGSTOP")) held.add(pid);
      },
    ],
    mend: [4, async () => mend()],
    [`kill the ${who}`]: [
      3,
      async (random) => {
        await keeper.kill();
        await sleep(random.pick([0, 0, 500]));
        await keeper.start();
      },
    ],
    [`kill the ${who}, its list half written`]: [
      2,
      async (random) => {
        await keeper.kill();
        truncate(random.pick(pools).folder);
        await keeper.start();
      },
    ],
    [`kill the ${who} and workers`]: [
      2,
      async (random) => {
        await keeper.kill();
        for (const pid of victims(random, 2)) signal(pid, "SIGKILL");
        await keeper.start();
      },
    ],
    [`stop the ${who}`]: [
      1,
      async () => {
        mend();
        await keeper.stop();
        await keeper.start();
      },
    ],
    [`hold the ${who}`]: [2, async (random) => keeper.hold(random.between(500, 3_000))],
    [`a second ${who}`]: [1, () => keeper.second()],
  };
  return { steps, mend };
}
