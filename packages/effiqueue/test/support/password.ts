/**
 * The password of the brokers of the tests: a word that nobody else writes, so that whatever shows it shows a secret. Every process,
 * folder and event that is tested is held against it here; `npm test` looks for it in all that the run has printed. DESIGN 5.4.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

/** Safe in a URL and in a term of Erlang. `npm test` makes a new one for each run. */
export const PASSWORD = process.env["EFFIQUEUE_TEST_PASSWORD"] ?? "never-shown-7319";

/** As it stands in a URL. */
export const CREDENTIALS = `guest:${PASSWORD}`;

export const expectNoPassword = (text: string): void =>
  expect(text.includes(PASSWORD), "the password of the broker is shown").toBe(false);

/** At the end of the test, what is asked for then does not hold it. */
export const showsNoPassword = (text: () => string): void => onTestFinished(() => expectNoPassword(text()));

/** All files below a folder, if it is there, as one text. */
export function textBelow(folder: string): string {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return "";
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}
