/** `effiqueue reload`: a running daemon becomes what its configuration says now, or says why not. DESIGN 7.15. */
import { Command } from "commander";
import type { ReloadReply } from "../app/control/replies.ts";
import { tell } from "../app/status-client.ts";
import { visible, visibleLines } from "../model/visible.ts";
import { type DaemonFlags, daemonOf, withDaemon } from "./daemon.ts";
import { EXIT } from "./errors.ts";
import { printJson, printText } from "./output.ts";

export const reloadCommand = (): Command => withDaemon(new Command("reload")).action(reload);

async function reload({ json, ...flags }: DaemonFlags): Promise<void> {
  const { endpoint, config } = await daemonOf(flags);
  const reply = await tell(endpoint, "reload", {});
  if (!reply.reloaded) process.exitCode = EXIT.config;
  if (json === true) printJson(reply);
  else if (reply.reloaded) printText(doneText(config, reply));
  else
    process.stderr.write(
      `${visibleLines(reply.problems.join("\n"))}\neffiqueue: nothing was changed, what ran runs on\n`,
    );
}

function doneText(
  config: string,
  { added, changed, removed, unchanged, warnings }: ReloadReply & { reloaded: true },
): string {
  const parts: [string, readonly string[]][] = [
    ["new", added],
    ["changed", changed],
    ["drained", removed],
    ["untouched", unchanged],
  ];
  const programs = parts
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `  ${what}: ${names.map(visible).join(", ")}`);
  return [`${config} is what runs now`, ...programs, ...warnings.map((each) => `warning: ${each}`)].join("\n");
}
