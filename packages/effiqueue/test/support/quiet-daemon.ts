/** A daemon whose queues nobody can be asked about, so that the floors are what there is, and what its operator tells it. */
import { join } from "node:path";
import type { Ended } from "./built-command.ts";
import { type DaemonProcess, type DaemonSetup, daemonOn } from "./daemon-process.ts";
import { effiqueue } from "./effiqueue-process.ts";

/** @param lines for the whole process */
export const quietConfig = (lines = ""): string => `
poll_interval = "200ms"
queue_connection = "amqp://127.0.0.1:1"
management = false
mode = "threshold"
command = "sleep 1000"
stdout = "null"
stderr = "null"
${lines}

[[program]]
queue_name = "orders"
min_workers = 2
max_workers = 6

[[program]]
queue_name = "mail"
min_workers = 1
max_workers = 3
`;

export const stateOf = ({ dir }: DaemonSetup): string => join(dir, "state");

/** A command of its operator. */
export const told = (setup: DaemonSetup, ...words: string[]): Promise<Ended> =>
  effiqueue([...words, "--state-dir", stateOf(setup)], { cwd: setup.dir });

/** With all the workers that it begins with. */
export async function runningDaemon(
  setup: DaemonSetup = daemonOn(quietConfig()),
  { workers = 3, flags = [] as readonly string[] } = {},
): Promise<{ readonly setup: DaemonSetup; readonly daemon: DaemonProcess }> {
  const daemon = setup.run(...flags);
  await daemon.logged("app.daemon.started");
  await daemon.workersOf(workers);
  return { setup, daemon };
}
