/**
 * What can be set is told by the names under which the reader can set it. All words here are written with the keys of the daemon's
 * file; who runs the engine under other names says which. DESIGN 6.10. Pure.
 */

/** Names by the key of the file; a key that is missing cannot be set there. */
export type Settings = Readonly<Record<string, string>>;

/** Every key that texts name has two words or more. */
const KEY = /\b[a-z]+(?:_[a-z]+)+\b/g;

/** Whoever runs the engine under other names does not run the daemon that its commands tell. */
const DAEMON_COMMAND = /\beffiqueue [a-z]/;

/** @param settings absent: the keys themselves */
export function spelled(text: string, settings: Settings | undefined): string {
  return settings === undefined ? text : text.replace(KEY, (key) => settings[key] ?? key);
}

/** Without the alternatives that cannot be set, and the commands that cannot be given. `undefined`: there is none else. */
export function advised(text: string, settings: Settings | undefined): string | undefined {
  if (settings === undefined) return text;
  const isOpen = (part: string): boolean =>
    !DAEMON_COMMAND.test(part) && [...part.matchAll(KEY)].every(([key]) => key in settings);
  if (isOpen(text)) return spelled(text, settings);
  const open = text.split(/; |, or /).filter(isOpen);
  return open.length === 0 ? undefined : spelled(open.join(", or "), settings);
}
