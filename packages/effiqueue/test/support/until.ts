/** `waitFor` for what may fail to answer: asks again, also after an error, until the answer is yes. Fails with the last error, if asking failed. */
import { setTimeout as sleep } from "node:timers/promises";

export async function until(ask: () => Promise<boolean>, timeoutMs = 20_000, everyMs = 20): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    let trouble: unknown;
    try {
      if (await ask()) return;
    } catch (error) {
      trouble = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${ask.toString()}`, { cause: trouble });
    }
    await sleep(everyMs);
  }
}
