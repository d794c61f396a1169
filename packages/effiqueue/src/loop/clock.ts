/**
 * The real clock. On Linux the monotonic clock counts from boot, so its stamps compare between processes of one boot,
 * which leases rely on (DESIGN 9.6). DESIGN 1.2.
 */
import type { Clock } from "../model/ports.ts";
import { monotonicMs, timerMs, wallMs } from "../units.ts";

export const systemClock: Clock = {
  monotonicMs: () => monotonicMs(Number(process.hrtime.bigint()) / 1e6),
  wallMs: () => wallMs(Date.now()),
  after: (delayMs, callback, options) => {
    const timer = setTimeout(callback, timerMs(delayMs));
    if (options?.background === true) timer.unref();
    return () => clearTimeout(timer);
  },
};
