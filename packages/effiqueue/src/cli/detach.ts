/** `effiqueue detach`: the daemon ends, and its workers work on for the next one. DESIGN 7.16. */
import { Command } from "commander";
import { tell } from "../app/status-client.ts";
import { counted } from "../report/explain-words.ts";
import { type DaemonFlags, daemonOf, withDaemon } from "./daemon.ts";
import { printJson, printText } from "./output.ts";

export const detachCommand = (): Command => withDaemon(new Command("detach")).action(detach);

async function detach({ json, ...flags }: DaemonFlags): Promise<void> {
  const { endpoint, pid } = await daemonOf(flags);
  const reply = await tell(endpoint, "detach", {});
  if (json === true) printJson({ pid, ...reply });
  else
    printText(
      `daemon ${pid} ends, ${counted(reply.workers, "worker")} work on; start the next daemon to take them over`,
    );
}
