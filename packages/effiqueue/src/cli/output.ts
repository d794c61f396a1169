/**
 * What commands print: text for people, one JSON value for programs, files where they are told to. DESIGN 7.9.
 */
import { codeOf } from "../model/errors.ts";
import { visibleLines } from "../model/visible.ts";
import { FailedError } from "./errors.ts";

/** For a person. */
export function printText(text: string): void {
  printAsIs(visibleLines(text));
}

export function printJson(value: unknown): void {
  printAsIs(JSON.stringify(value, null, 2));
}

/** An answer that got lost, for the disk is full, is a failure to whoever reads its file; a reader that left (`| head`) had enough. */
let unprinted: Error | undefined;

function onPrinted(error?: Error | null): void {
  if (error != null && codeOf(error) !== "EPIPE") unprinted ??= error;
}

/** Once all is written. */
export const lostAnswer = (): Error | undefined => unprinted;

/** JSON, and pictures: they may have colours, and have made their words visible themselves. */
export function printAsIs(text: string): void {
  process.stdout.write(`${text}\n`, onPrinted);
}

/** @throws FailedError naming the file */
export function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new FailedError(`${file}: cannot be written`, { cause });
  }
}

/** As it is typed into a shell. */
export const shellWord = (text: string): string =>
  /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
