/**
 * Which events are worth a message to somebody who does not look at the log, each said once: the log repeats what lasts, a pager must not.
 * DESIGN 6.9.
 */
import type { EventFields, EventLevel, EventName } from "../../model/events.ts";
import { levelOf } from "../levels.ts";
import { messageOf } from "../messages.ts";

export interface Notice {
  readonly event: EventName;
  readonly level: EventLevel;
  readonly program: string;
  /** The sentence of the log. */
  readonly message: string;
  readonly fields: EventFields[EventName];
}

type Judge = { readonly [Name in EventName]?: (fields: EventFields[Name]) => boolean };

export class Notices {
  readonly #unreadable = new Set<string>();
  /** Crashes in a row at the last word of each program. */
  readonly #crashes = new Map<string, number>();

  readonly #isNews: Judge = {
    "decide.gap.opened": () => true,
    "decide.gap.cleared": () => true,
    "observe.queue.unreadable": ({ program }) => {
      const isNew = !this.#unreadable.has(program);
      this.#unreadable.add(program);
      return isNew;
    },
    "observe.queue.recovered": ({ program }) => this.#unreadable.delete(program),
    // The count goes up with each crash of a loop, and begins anew with the next one.
    "act.spawning.backed_off": ({ program, consecutive_crashes: crashes }) => {
      const before = this.#crashes.get(program) ?? Number.POSITIVE_INFINITY;
      this.#crashes.set(program, crashes);
      return crashes <= before;
    },
  };

  /** `null`: nothing that anybody has to be told of, or told of already. */
  noticeOf<Name extends EventName>(event: Name, fields: EventFields[Name]): Notice | null {
    if (!("program" in fields) || this.#isNews[event]?.(fields) !== true) return null;
    return { event, level: levelOf(event, fields), program: fields.program, message: messageOf(event, fields), fields };
  }
}
