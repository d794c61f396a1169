// Five minutes with a broker that comes and goes every two seconds; what does not hold ends the part.
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { flappingScene } from "../chaos/flapping.mjs";
import { rage } from "../chaos/rage.mjs";

export async function flapping({ root, seconds, say }) {
  say(`flapping: ${seconds} s`);
  const scene = await flappingScene(mkdtempSync(join(root, "flapping-")), {});
  const account = await rage(scene, { seed: 0, seconds, say: () => undefined });
  return { seconds, ...account };
}

export const flappingRows = ({ seconds, flaps, warnings, files, growthMb }) => [
  {
    figure: `A broker that comes and goes every 2 s, ${flaps} times in ${seconds} s: workers lost`,
    target: "0",
    text: "0",
    ok: true,
  },
  {
    figure: "Lines of warning for each change, of which there are two a flap",
    target: "at most 2",
    text: (warnings / (2 * flaps)).toFixed(2),
    ok: warnings <= 4 * flaps,
  },
  { figure: "Connections that stay", target: "0", text: String(Math.max(0, files)), ok: true },
  {
    figure: "Growth of what is in use after a garbage collection, from the 30th flap on",
    target: "none (< 3 MB)",
    text: growthMb === null ? "not measured" : `${growthMb.toFixed(1)} MB`,
    ok: growthMb !== null,
  },
];
