/** What happens, and every tick, goes to everybody who listens, also from the middle on. DESIGN 6.1. */
import type { EventFields, EventName } from "../model/events.ts";
import type { Reporter, TickListener } from "../model/ports.ts";
import type { TickRecord } from "../model/tick-record.ts";

export type Listener = Reporter & Partial<TickListener>;

/** Hears of these events only. */
export const hearing = (hear: { readonly [Name in EventName]?: (fields: EventFields[Name]) => void }): Reporter => ({
  emit: (name, fields) => hear[name]?.(fields),
});

export class Fanout implements Reporter, TickListener {
  readonly #listeners: Listener[];

  constructor(...listeners: Listener[]) {
    this.#listeners = listeners;
  }

  add(listener: Listener): void {
    this.#listeners.push(listener);
  }

  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void {
    for (const each of this.#listeners) each.emit(name, fields);
  }

  ticked(record: TickRecord): void {
    for (const each of this.#listeners) each.ticked?.(record);
  }
}
