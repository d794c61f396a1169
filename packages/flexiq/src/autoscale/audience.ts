/** Those who watch an autoscaler, also from the middle of its life on. DESIGN 11.5. */
import type { EventFields, EventName, Reporter, TickListener, TickRecord } from "effiqueue";

export type Watcher = Reporter & TickListener;

export class Audience implements Watcher {
  readonly #watchers: Watcher[] = [];

  add(watcher: Watcher): void {
    this.#watchers.push(watcher);
  }

  emit<Name extends EventName>(name: Name, fields: EventFields[Name]): void {
    for (const each of this.#watchers) each.emit(name, fields);
  }

  ticked(record: TickRecord): void {
    for (const each of this.#watchers) each.ticked(record);
  }
}
