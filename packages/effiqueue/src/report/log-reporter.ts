/** Events as log records: `{event, ...fields, msg}`. DESIGN 6.1. */
import type { Reporter } from "../model/ports.ts";
import { levelOf } from "./levels.ts";
import type { Logger } from "./logger.ts";
import { messageOf } from "./messages.ts";

export function logReporter(logger: Logger): Reporter {
  return {
    emit: (name, fields) => logger[levelOf(name, fields)]({ event: name, ...fields }, messageOf(name, fields)),
  };
}
