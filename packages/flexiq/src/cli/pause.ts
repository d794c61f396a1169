/**
 * `flexiq pause` and `resume`. DESIGN 9.9, 12.4.
 */
import type { Command } from "commander";
import type { Queue } from "../queue.ts";
import { print } from "./output.ts";
import { noteEmpty } from "./queue-name.ts";
import { addTargetOptions, type TargetOptions, withQueue } from "./target.ts";

export const registerPause = (command: Command): void =>
  registerSwitch(command, true, (queue, name) => queue.pause(name));

export const registerResume = (command: Command): void =>
  registerSwitch(command, false, (queue, name) => queue.resume(name));

function registerSwitch(command: Command, paused: boolean, act: (queue: Queue, name: string) => Promise<void>): void {
  addTargetOptions(command)
    .argument("<queue>", "the queue's name")
    .option("--json", "print JSON")
    .action(async (name: string, flags: TargetOptions & { readonly json?: boolean }) => {
      await withQueue(flags, { create: false }, async (queue) => {
        await noteEmpty(queue, name);
        await act(queue, name);
        print(
          flags.json,
          { queue: name, paused },
          () => `queue ${name} is ${paused ? "paused" : "not paused any more"}`,
        );
      });
    });
}
