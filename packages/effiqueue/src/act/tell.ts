/**
 * Events of one pool, with its program's name filled in. DESIGN 6.1.
 */
import type { EventFields, EventName } from "../model/events.ts";
import type { Reporter } from "../model/ports.ts";

export type Tell = <Name extends EventName>(name: Name, fields: Omit<EventFields[Name], "program">) => void;

export function tellAs(program: string, reporter: Reporter): Tell {
  return <Name extends EventName>(name: Name, fields: Omit<EventFields[Name], "program">) =>
    reporter.emit(name, { program, ...fields } as unknown as EventFields[Name]);
}
