// One side of one contender in a process of its own: `child.mjs producer|worker NAME CONTEXT`.
import { handlers } from "./handlers.mjs";
import { serve } from "./lib/lane.mjs";
import { nowMs, sleep } from "./lib/wait.mjs";

const [role, name, context] = process.argv.slice(2);
const contender = await import(`./contenders/${name}.mjs`);
const side = await contender[role](JSON.parse(context), handlers);

const TEXT = "a payload of a size that people use: a path, an address, a few numbers";
const payload = (n, batch = 0) => ({ n, batch, text: TEXT });

/** Calls `once` in sequence until the time is up; a bare synchronous write is not made to pay for an `await`. */
async function repeatFor(ms, once) {
  const from = nowMs();
  let calls = 0;
  while (nowMs() - from < ms) {
    const pending = once(calls++);
    if (pending) await pending;
  }
  return { calls, sec: (nowMs() - from) / 1000 };
}

const producer = {
  enqueueFor: (ms) => repeatFor(ms, (n) => side.enqueue("noop", payload(n))),

  enqueueBatchesFor: (ms, size) =>
    repeatFor(ms, () =>
      side.enqueueMany(
        "noop",
        Array.from({ length: size }, (_, n) => payload(n)),
      ),
    ),

  /** `count` no-ops that appear at once. */
  async fill(count, batch) {
    const payloads = Array.from({ length: count }, (_, n) => payload(n, batch));
    await side.enqueueMany("noop", payloads);
    await side.settle?.();
  },

  left: () => side.left(),

  /** Waits until nothing is left to do, at most `limitMs`. */
  async drained(limitMs, everyMs) {
    const deadline = nowMs() + limitMs;
    for (;;) {
      const isDone = await side.isDrained();
      const at = nowMs();
      if (isDone) return { at, left: 0 };
      if (at > deadline) return { at, left: await side.left() };
      await sleep(everyMs);
    }
  },

  /** Jobs that carry the moment of their enqueue, with random gaps in between. */
  async stampAtRandom(count, minGapMs, maxGapMs) {
    for (let n = 0; n < count; n++) {
      await sleep(minGapMs + Math.random() * (maxGapMs - minGapMs));
      await side.enqueue("stamp", { at: nowMs() });
    }
  },

  enqueueMany: (task, payloads) => side.enqueueMany(task, payloads),
};

serve(role === "producer" ? producer : {});
