/** Whatever is reported goes to everybody who listens. DESIGN 6.1. */
import type { EventFields, EventName } from "../model/events.ts";
import type { Reporter } from "../model/ports.ts";

export class Fanout implements Reporter {
  readonly #listeners: Reporter[];

  constructor(...listeners: Reporter[]) {
    this.#listeners = listeners;
  }

  add(listener: Reporter): void {
    this.#listeners.push(listener);
  }

  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void {
    for (const each of this.#listeners) each.emit(name, fields);
  }
}
