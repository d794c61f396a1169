/**
 * A configuration as somebody reads it who connects to nothing: without the keys that may hold secrets, so that nobody has to have a
 * password to simulate, or to ask a daemon how it is. DESIGN 5.4.
 */
import { KEYS, type Key } from "../model/keys.ts";
import type { Entries, RawConfig } from "./raw.ts";

/** Stands for what is required and not read. */
const UNREAD = "amqp://unread";

export function withoutSecrets(raw: RawConfig): RawConfig {
  return {
    ...raw,
    shared: unread(raw.shared),
    programs: raw.programs.map((each) => ({ ...each, entries: unread(each.entries) })),
  };
}

const unread = (entries: Entries): Entries =>
  new Map(
    [...entries].flatMap(([name, entry]) => {
      const { secret, required }: Key = KEYS[name];
      if (secret !== true) return [[name, entry] as const];
      return required === true ? [[name, { ...entry, value: UNREAD, fault: undefined }] as const] : [];
    }),
  );
