/** Takes credentials out of whatever is reported: an error of a client likes to quote the address it failed to reach. DESIGN 5.4, 6.2. */
import type { EventFields, EventName } from "../model/events.ts";
import type { Reporter } from "../model/ports.ts";

/** @param redact from `redactor(config.secrets)`; applied to every text of every event, the names of programs included */
export function redactingReporter(reporter: Reporter, redact: (text: string) => string): Reporter {
  return {
    emit(name, fields) {
      reporter.emit(name, redacted(fields, redact));
    },
  };
}

function redacted<Fields extends EventFields[EventName]>(fields: Fields, redact: (text: string) => string): Fields {
  const entries = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === "string" ? redact(value) : value,
  ]);
  return Object.fromEntries(entries) as Fields;
}
