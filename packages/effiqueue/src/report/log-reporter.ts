/** Events as log records: `{event, ...fields, msg}`. DESIGN 6.1, 6.2. */
import type { EventFields, EventLevel, EventName } from "../model/events.ts";
import type { Reporter } from "../model/ports.ts";
import { levelOf } from "./levels.ts";
import type { Logger } from "./logger.ts";
import { messageOf } from "./messages.ts";
import { QuietTicks } from "./quiet-ticks.ts";
import { type Settings, spelled } from "./spelling.ts";

export interface LogReporterOptions {
  /** `every` tick is info (default), or only those that bring `news` are, and the others debug. */
  readonly ticks?: "every" | "news";
  /** How what can be set is called. Default: by the keys of the daemon's file. */
  readonly settings?: Settings;
}

export function logReporter(logger: Logger, { ticks = "every", settings }: LogReporterOptions = {}): Reporter {
  const quiet = ticks === "news" ? new QuietTicks() : null;
  const level = <Name extends EventName>(name: Name, fields: EventFields[Name]): EventLevel => {
    const isTick = "desired_workers" in fields;
    return quiet !== null && isTick && !quiet.isNews(fields) ? "debug" : levelOf(name, fields);
  };
  return {
    emit: (name, fields) =>
      logger[level(name, fields)]({ event: name, ...fields }, spelled(messageOf(name, fields), settings)),
  };
}
