// Ten minutes of faults drawn from a seed, on both products beside each other, the invariants checked after each. What does not hold ends
// the part with the seed and the steps.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { daemonScene } from "../chaos/daemon.mjs";
import { flexiqScene } from "../chaos/flexiq.mjs";
import { rage } from "../chaos/rage.mjs";

export async function chaos({ root, seconds, seed = Date.now() % 1_000_000, say }) {
  const run = async (name, open) => {
    say(`chaos: ${name}, seed ${seed}`);
    const scene = await open(mkdtempSync(join(root, "chaos-")));
    return rage(scene, { seed, seconds, say: () => undefined });
  };
  const [daemon, flexiq] = await Promise.all([run("the daemon", daemonScene), run("flexiq", flexiqScene)]);
  return { broker: daemon.broker, seconds, daemon, flexiq };
}

export const chaosRows = ({ seconds, daemon, flexiq }) => [
  {
    figure: `The daemon on RabbitMQ, ${daemon.steps} faults and bursts in ${seconds} s (seed ${daemon.seed}): acknowledged messages lost`,
    target: "0",
    text: `0 of ${daemon.messages}`,
    ok: true,
  },
  {
    figure: `The autoscaler of flexiq, ${flexiq.steps} faults and bursts in ${seconds} s (seed ${flexiq.seed}): acknowledged jobs lost`,
    target: "0",
    text: `0 of ${flexiq.jobs}`,
    ok: true,
  },
];
