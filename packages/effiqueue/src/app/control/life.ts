/** Commands about the daemon as a whole: what it runs, and its end. DESIGN 7.12, 7.15, 7.16. */
import { ConfigError, findingText } from "../../config/errors.ts";
import { CommandError, type Commands } from "../../report/http/control.ts";
import type { Daemon } from "../running-daemon.ts";
import type { DetachReply, ReloadReply } from "./replies.ts";

/** @param daemon `undefined` while it starts */
export function lifeCommands(daemon: () => Daemon | undefined): Commands {
  const started = (): Daemon => {
    const running = daemon();
    if (running === undefined) throw new CommandError("the daemon has not started yet; ask again in a moment");
    return running;
  };
  return {
    reload: () => reload(started()),
    detach: async (): Promise<DetachReply> => ({ apiVersion: 1, workers: await started().detach() }),
  };
}

/** A file that is wrong is an answer, not a failure: it has many lines, and an exit code of its own. */
async function reload(daemon: Daemon): Promise<ReloadReply> {
  try {
    return { apiVersion: 1, reloaded: true, ...(await daemon.reload()) };
  } catch (error) {
    if (error instanceof ConfigError) {
      return { apiVersion: 1, reloaded: false, problems: error.problems.map(findingText) };
    }
    throw new CommandError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
