/**
 * `flexiq stats`, `queues` and `workers`. DESIGN 9.3, 12.4.
 */
import type { Command } from "commander";
import type { QueueStats } from "../model.ts";
import { print, stamp, table } from "./output.ts";
import { noteEmpty } from "./queue-name.ts";
import { addTargetOptions, type TargetOptions, withQueue } from "./target.ts";

interface Flags extends TargetOptions {
  readonly json?: boolean;
}

const age = (sec: number | null): string => (sec === null ? "-" : `${sec.toFixed(sec < 10 ? 1 : 0)} s`);

const statsTable = (stats: QueueStats): string =>
  table([
    ["pending", stats.pending],
    ["running", stats.running],
    ["scheduled", stats.scheduled],
    ["failed", stats.failed],
    ["completed", stats.completed],
    ["cancelled", stats.cancelled],
    ["dead", stats.dead],
    ["oldest pending", age(stats.oldestPendingAgeSec)],
  ]);

export function registerStats(command: Command): void {
  addTargetOptions(command)
    .argument("[queue]", "only this queue (default: all)")
    .option("--json", "print JSON")
    .action(async (name: string | undefined, flags: Flags) => {
      await withQueue(flags, { create: false }, async (queue) => {
        const stats = await queue.stats(name);
        await noteEmpty(queue, name);
        print(flags.json, stats, () => statsTable(stats));
      });
    });
}

export function registerQueues(command: Command): void {
  addTargetOptions(command)
    .option("--json", "print JSON")
    .action(async (flags: Flags) => {
      await withQueue(flags, { create: false }, async (queue) => {
        const queues = await queue.queues();
        print(flags.json, queues, () =>
          table([
            ["QUEUE", "PENDING", "RUNNING", "SCHEDULED", "FAILED", "COMPLETED", "DEAD", "STATE"],
            ...queues.map(({ name, paused, stats }) => [
              name,
              stats.pending,
              stats.running,
              stats.scheduled,
              stats.failed,
              stats.completed,
              stats.dead,
              paused ? "paused" : "-",
            ]),
          ]),
        );
      });
    });
}

export function registerWorkers(command: Command): void {
  addTargetOptions(command)
    .option("--json", "print JSON")
    .action(async (flags: Flags) => {
      await withQueue(flags, { create: false }, async (queue) => {
        const workers = await queue.store.workers();
        print(flags.json, workers, () =>
          table([
            ["WORKER", "PID", "SLOTS", "BUSY", "QUEUES", "SINCE", "STATE"],
            ...workers.map(({ id, identity, slots, busy, queues, startedAtMs, cordoned }) => [
              id,
              identity.pid,
              slots,
              busy,
              queues?.join(",") ?? "all",
              stamp(startedAtMs),
              cordoned ? "cordoned" : "-",
            ]),
          ]),
        );
      });
    });
}
