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
  lacks: [
    "Windows has no signals that a worker could answer: to stop one is to end it in the middle of its work",
    "Windows has no groups of processes: what a worker has started is neither counted nor ended with it",
    "on Windows the workers of a daemon that was killed are not taken over: end them before the next start",
    "on Windows the memory of workers is not measured: set max_workers to what the machine can hold",
  ],
  watchIntervalMs: 1_000,
};
