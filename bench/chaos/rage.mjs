// Chaos from a seed: one fault after the other, drawn at random, and after each the invariants of the scene. What fails says its seed
// and its steps, with which it can be had again, as far as the machine plays along.
import { nowMs } from "../lib/wait.mjs";

/** mulberry32: small, and the same everywhere. */
export function randomOf(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(next() * count);
  return { below, between: (from, to) => from + below(to - from + 1), pick: (list) => list[below(list.length)] };
}

/** `[weight, step]` by name. */
function drawn(steps, random) {
  const all = Object.entries(steps).flatMap(([name, [weight]]) => Array(weight).fill(name));
  return random.pick(all);
}

/**
 * @param scene `steps`: `{ NAME: [weight, async (random) => what it did] }`; `check()` rejects when an invariant does not hold; `end()`
 *   mends everything, waits until the work is done and gives its account; `destroy()` leaves nothing behind
 */
export async function rage(scene, { seed, seconds, say }) {
  const random = randomOf(seed);
  const done = [];
  try {
    await scene.begin();
    for (const until = nowMs() + 1000 * seconds; nowMs() < until; ) {
      const name = drawn(scene.steps, random);
      done.push(name);
      const what = await scene.steps[name][1](random);
      if (what !== undefined) done[done.length - 1] += ` ${what}`;
      say(done.at(-1));
      await scene.check();
    }
    return { seed, steps: done.length, ...(await scene.end()) };
  } catch (error) {
    throw new Error(`seed ${seed}, after ${done.length} steps (${done.join(", ")}): ${error.message}`, {
      cause: error,
    });
  } finally {
    await scene.destroy();
  }
}
