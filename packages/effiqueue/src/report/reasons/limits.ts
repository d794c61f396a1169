/** Reasons that hold a pool back, or up, whatever the work asks for. DESIGN 6.5. Pure. */
import type { DecisionEntry } from "../api-types.ts";
import { budgetText, pressureText, swapText, tooSmallText, usedText, workerText } from "../memory-words.ts";
import { type Explained, workers } from "./say.ts";

const mostOf = ({ capacityWorkers, desiredWorkers }: DecisionEntry): number => capacityWorkers ?? desiredWorkers;

const by = (schedule: { readonly name: string } | undefined): string =>
  schedule === undefined ? "" : ` by schedule ${schedule.name}`;

export const LIMIT_REASONS = {
  ram: {
    name: "the memory limit",
    why: (entry, { mode }) =>
      tooSmallText(entry.memory) ??
      `Memory allows ${workers(mostOf(entry))}: ${mode === "threshold" ? `${usedText(entry.memory)} in use, ` : ""}${budgetText(entry.memory)}${workerText(entry.memory)}.`,
    otherwise: (_, { mode }) =>
      mode === "threshold"
        ? "more memory (ram_ratio_cap, ram_budget, ram_headroom), or workers that take less"
        : "more memory (ram_budget, ram_headroom), or workers that take less",
  },
  swap: {
    name: "the swap brake",
    why: (entry) =>
      `More swap is in use than may be (${swapText(entry.memory)}), so the pool does not grow beyond ${workers(mostOf(entry))}.`,
    otherwise: () => "free memory on this machine, or raise swap_ratio_cap",
  },
  pressure: {
    name: "the pressure brake",
    why: (entry) =>
      `Somebody waited for memory ${pressureText(entry.memory)}, which is more than may be or has just been, so the pool does not grow beyond ${workers(mostOf(entry))}.`,
    otherwise: () => "free memory on this machine, or raise memory_pressure_cap",
  },
  oom: {
    name: "the kill for want of memory",
    why: (entry) =>
      `The kernel killed a worker for want of memory: ${workers(mostOf(entry))} at most for now, and one more is tried every ten minutes.`,
    otherwise: () => "more memory, more of it left free (ram_headroom, or a smaller ram_budget), or max_worker_memory",
  },
  cpu: {
    name: "the processor limit",
    why: (entry) => `More than ${workers(mostOf(entry))} get no more done: the processors are busy.`,
    otherwise: () => "more processors",
  },
  downstream: {
    name: "the downstream limit",
    why: (entry) => `More than ${workers(mostOf(entry))} get no more done: what they depend on does not keep up.`,
    otherwise: () => "a faster database or service behind the workers",
  },
  "single-consumer": {
    name: "the queue's single consumer",
    why: () =>
      "The queue serves one consumer at a time (x-single-active-consumer): further workers would wait for the first to go.",
    otherwise: () => "min_workers, for others that stand by; a queue declared without x-single-active-consumer",
  },
  "max-workers": {
    name: "the ceiling",
    why: (_, { maxWorkers, schedules }) =>
      `max_workers is ${maxWorkers}${by(schedules.find((each) => each.maxWorkers === maxWorkers))}.`,
    otherwise: () => "raise max_workers",
  },
  "min-workers": {
    name: "the floor",
    why: (_, { minWorkers, schedules }) =>
      `min_workers is ${minWorkers}${by(schedules.find((each) => each.minWorkers === minWorkers))}.`,
    otherwise: () => "lower min_workers",
  },
} as const satisfies Readonly<Record<string, Explained>>;
