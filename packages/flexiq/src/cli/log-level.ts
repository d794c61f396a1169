/** The flag that sets how much is logged. DESIGN 6.2. */
import { type Command, Option } from "commander";
import { LOG_LEVELS } from "effiqueue";

export function addLogLevelOption(command: Command): Command {
  return command.addOption(new Option("--log-level <level>", "default: $EFFIQUEUE_LOG, else info").choices(LOG_LEVELS));
}
