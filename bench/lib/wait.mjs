// Waiting for states with a bound, and the one clock that all processes of this machine share.
import { setTimeout as sleep } from "node:timers/promises";

export { sleep };

/** Milliseconds on CLOCK_MONOTONIC: comparable between processes, which `performance.now()` is not. */
export const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

/** Polls until `probe` answers something truthy, and returns that. */
export async function waitFor(probe, what, { timeoutMs = 30_000, everyMs = 10 } = {}) {
  const deadline = nowMs() + timeoutMs;
  for (;;) {
    const answer = await probe();
    if (answer) return answer;
    if (nowMs() > deadline) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(everyMs);
  }
}
