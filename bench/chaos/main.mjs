// node bench/chaos/main.mjs --scene daemon|flexiq|flapping --seconds 60 [--seed N]
// Prints its seed at once and its account at the end; ends with 1, the seed and all steps when an invariant did not hold.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { daemonScene } from "./daemon.mjs";
import { flappingScene } from "./flapping.mjs";
import { flexiqScene } from "./flexiq.mjs";
import { rage } from "./rage.mjs";

const SCENES = { daemon: daemonScene, flexiq: flexiqScene, flapping: flappingScene };
const { values: flags } = parseArgs({
  options: { scene: { type: "string", default: "daemon" }, seconds: { type: "string" }, seed: { type: "string" } },
});
const seed = Number(flags.seed ?? Date.now() % 1_000_000);
console.log(`chaos: scene ${flags.scene}, seed ${seed}`);
const root = mkdtempSync(join(tmpdir(), "chaos-"));
let failed = false;
let scene;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, async () => {
    await scene?.destroy();
    process.exit(1);
  });
}
try {
  scene = await SCENES[flags.scene](root);
  const account = await rage(scene, {
    seed,
    seconds: Number(flags.seconds ?? 60),
    say: (line) => console.log(`  ${line}`),
  });
  console.log(JSON.stringify(account));
} catch (error) {
  failed = true;
  console.error(`chaos: ${error.message}`);
  console.error(error.cause?.stack ?? error.stack);
}
if (!failed) rmSync(root, { recursive: true, force: true });
else console.error(`logs and state: ${root}`);
process.exit(failed ? 1 : 0);
