/** A window of the broker as the knee sees it: how much of it was the work of how many workers that were never short of work. DESIGN 2.16. Pure. */
import type { News } from "../broker-window.ts";

/** `starved`: work ran out. `unsteady`: workers came or went, or nobody knows. */
export type KneeWindow = "starved" | "unsteady" | Throughput;

export interface Throughput {
  readonly workers: number;
  readonly messages: number;
  readonly sec: number;
  /** Share of the processors that was in use meanwhile, by anybody; `null`: unknown. */
  readonly busyShare: number | null;
}

/**
 * @param serving our own; beside strangers' consumers nobody knows who did what
 * @param busyShare of the processors, since the look before
 */
export function kneeWindow({ window, finished }: News, serving: number, busyShare: number | null): KneeWindow {
  const { most, fewest, minReady, isKnown, sec } = window;
  if (isKnown && minReady < Math.max(1, most)) return "starved";
  if (!isKnown || most !== fewest || most !== serving || most < 1 || sec <= 0) return "unsteady";
  // Only what was really counted is evidence.
  return { workers: most, messages: finished.messages * finished.seen, sec: sec * finished.seen, busyShare };
}
