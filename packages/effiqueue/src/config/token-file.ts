/** The token that the endpoint asks for, from a file of its own: a configuration is read by more people, and copied. DESIGN 6.6. */
import { closeSync, fstatSync } from "node:fs";
import { codeOf } from "../model/errors.ts";
import { openReadable, readAtMost, SILENT_PIPE } from "./bounded-file.ts";

/** The file cannot be used; the message names it and the remedy. */
export class TokenFileError extends Error {
  override readonly name = "TokenFileError";
  readonly code = "token-file";
  readonly file: string;
  readonly why: string;
  readonly remedy: string;

  constructor(file: string, why: string, remedy: string, options?: ErrorOptions) {
    super(`metrics_token_file ${file}: ${why}; ${remedy}`, options);
    this.file = file;
    this.why = why;
    this.remedy = remedy;
  }
}

/** As many characters as nobody guesses. */
const SHORTEST = 16;

const MOST_BYTES = 4_096;

/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

const makeOne = (file: string): string => `make one: (umask 027; openssl rand -hex 32 > ${file})`;

/** @throws TokenFileError */
export function readTokenFile(file: string): string {
  const { mode, text } = contentOf(file);
  // Windows has no such bits.
  if (process.platform !== "win32" && (mode & 0o007) !== 0) {
    throw new TokenFileError(file, "every user of this machine may read or change it", `chmod 640 ${file}`);
  }
  const token = text.trim();
  if (token.length < SHORTEST) {
    throw new TokenFileError(
      file,
      `a token has ${SHORTEST} characters at least, this has ${token.length}`,
      makeOne(file),
    );
  }
  if (!TOKEN.test(token)) {
    throw new TokenFileError(file, "a token is one word of printable ASCII, and this is not", makeOne(file));
  }
  return token;
}

/** By one descriptor, so that what is read is what was looked at. */
function contentOf(file: string): { readonly mode: number; readonly text: string } {
  let descriptor: number | undefined;
  try {
    descriptor = openReadable(file);
    const { mode } = fstatSync(descriptor);
    // What is longer is no word either.
    return { mode, text: readAtMost(descriptor, MOST_BYTES)?.toString("utf8") ?? "two words" };
  } catch (cause) {
    const [why, remedy] = TROUBLES[codeOf(cause)] ?? ["it cannot be read", "see what the system says about it"];
    throw new TokenFileError(file, why, remedy ?? makeOne(file), { cause });
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

const TROUBLES: Readonly<Record<string, readonly [why: string, remedy?: string]>> = {
  ENOENT: ["there is no such file"],
  EACCES: ["this user may not read it", "give it to a group of this user, and chmod 640"],
  EISDIR: ["it is a folder", "name the file in it"],
  [SILENT_PIPE]: ["it is a pipe that nobody writes to", "name a file"],
};
