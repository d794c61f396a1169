/** Keeps what the engine reports, in order. */
import type { EventFields, EventName } from "../../src/model/events.ts";
import type { Reporter } from "../../src/model/ports.ts";

export class Recorder implements Reporter {
  readonly all: { readonly name: EventName; readonly fields: EventFields[EventName] }[] = [];

  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void {
    this.all.push({ name, fields });
  }

  of<Name extends EventName>(name: Name): EventFields[Name][] {
    return this.all.filter((event) => event.name === name).map(({ fields }) => fields as EventFields[Name]);
  }

  names(prefix: string): EventName[] {
    return this.all.map(({ name }) => name).filter((name) => name.startsWith(prefix));
  }
}
