/**
 * Windows, as far as it goes: there are no process groups and no signals that a program could answer, so every stop ends the
 * worker process at once, processes it started are not followed, and nothing is adopted. DESIGN 4.2.
 */
import type { Platform } from "./platform.ts";
import { sendSignal } from "./signals.ts";

export const windows: Platform = {
  hasGroups: false,
  groupMembers: () => [],
  processesWith: () => [],
  carries: () => false,
  signalGroup: sendSignal,
  watchIntervalMs: 1_000,
};
