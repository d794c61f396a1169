/** What the keys do and what the marks mean. DESIGN 6.8. Pure. */
import { padded, wrap } from "./cells.ts";
import { BLANK, type Line, painted, type Style } from "./line.ts";
import { heading } from "./lists.ts";
import type { Size } from "./scene.ts";

const KEYS: readonly (readonly [string, string])[] = [
  ["q", "quit; Ctrl-C too"],
  ["space, p", "pause the display, and go on"],
  ["tab, right, n", "next program"],
  ["left", "previous program"],
  ["1 to 9", "that program"],
  ["?, h", "this page, and back"],
];

const WORDS: readonly (readonly [string, string])[] = [
  ["needed", "workers that empty the queue within its SLO; wanted: what the policy asks for, in the modes without one"],
  [
    "capacity",
    "workers that fit, and what binds: ram, swap, the most that are allowed, cpu, downstream, single-consumer",
  ],
  ["GAP", "more are needed than fit: the SLO cannot be kept on this machine"],
  ["lambda", "messages that arrive in a second; in brackets, between what it is with 95% confidence"],
  ["mu", "messages that one worker finishes in a second, by the rates of the broker or inferred from the backlog"],
  ["drains in", "time until the queue is empty with the workers there are; ! in its past means never"],
  ["oldest", "how long the oldest message has waited, where the SLO is of that"],
  ["memory", "of all workers, of what they may take together; then the largest worker"],
];

const NAME = 15;

export function helpPicture({ columns, rows }: Size, style: Style): string[] {
  const entry = ([name, text]: readonly [string, string]): Line[] =>
    wrap(text, Math.max(8, columns - NAME - 1)).map((part, index) => [
      { text: ` ${padded(index === 0 ? name : "", NAME - 1)}`, ink: "work" },
      { text: part },
    ]);
  const lines = [heading("keys"), ...KEYS.flatMap(entry), BLANK, heading("words"), ...WORDS.flatMap(entry)];
  return lines.slice(0, rows).map((line) => painted(line, columns, style));
}
