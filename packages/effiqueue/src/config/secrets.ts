/**
 * Secrets that a configuration names instead of holding them: a variable of the environment, a credential that the service manager has
 * put into a folder for us, or a file. DESIGN 5.4.
 */
import { join } from "node:path";
import { codeOf } from "../model/errors.ts";
import { readBounded, SILENT_PIPE } from "./bounded-file.ts";
import { type Environment, variableOf } from "./environment.ts";
import { SyntaxFault } from "./errors.ts";

/** A password, a token, an address; not a disk. */
const MOST_BYTES = 64 * 1024;

const FILE = "file:";

/** systemd's `LoadCredential=` and its kin: one file each, readable by the service alone, in no environment and no list of processes. */
const FOLDER = "CREDENTIALS_DIRECTORY";

/**
 * Puts secrets in for `${NAME}` and `${file:PATH}`. In user and password of a URL their delimiters are escaped: a password comes from a vault as it is,
 * and what stands behind its slash must not become the host. Escapes that are there already are kept.
 *
 * @throws SyntaxFault naming variable or file, never a value
 */
export function expandSecrets(text: string, env: Environment): string {
  const [userPart = ""] = /^[a-z]+:\/\/.*@/i.exec(text) ?? [];
  return text.replaceAll(/\$\{([^}]*)(\}?)/g, (_, name: string, close: string, at: number) => {
    const value = close === "" ? undefined : secretOf(env, name);
    if (value === undefined) {
      throw new SyntaxFault("holds a ${ that is not followed by the name of a variable, or file: and a path, and a }");
    }
    return at < userPart.length ? value.replaceAll(DELIMITER, encodeURIComponent) : value;
  });
}

/** What ends the user part of a URL, or is dropped from it. A colon parts user and password, which one variable may hold. */
const DELIMITER = /[/?#[\]@\\\s]|%(?![\da-f]{2})/gi;

/** `undefined`: that names nothing. */
function secretOf(env: Environment, name: string): string | undefined {
  if (name.startsWith(FILE)) return secretInFile(name.slice(FILE.length));
  return /^[a-z_]\w*$/i.test(name) ? secretNamed(env, name) : undefined;
}

/** A variable, else a credential of that name. @throws SyntaxFault naming what is missing, never a value */
function secretNamed(env: Environment, name: string): string {
  const folder = env[FOLDER];
  if (Object.hasOwn(env, name) || folder === undefined) return variableOf(env, name);
  const file = join(folder, name);
  const secret = textOf(file);
  if (secret !== undefined) return secret;
  throw new SyntaxFault(`neither is the environment variable ${name} set, nor is there a credential ${file}`);
}

/** What stands in a file, but for the end of its last line. @throws SyntaxFault naming the file, never what it holds */
function secretInFile(file: string): string {
  if (!file.startsWith("/")) throw new SyntaxFault(`the file of a secret is named in full, from its /, not ${file}`);
  const secret = textOf(file);
  if (secret === undefined) throw new SyntaxFault(`there is no file ${file} to read a secret from`);
  return secret;
}

/** `undefined`: there is no such file. */
function textOf(file: string): string | undefined {
  let bytes: Buffer | undefined;
  try {
    bytes = readBounded(file, MOST_BYTES);
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT") return undefined;
    if (code === SILENT_PIPE)
      throw new SyntaxFault(`${file} is a pipe that nobody writes to, where a secret was expected`);
    throw new SyntaxFault(`${file} cannot be read for a secret: ${code}; give it to this user, with chmod 400`);
  }
  const text = bytes?.toString("utf8").replace(/\r?\n$/, "");
  if (text === undefined) throw new SyntaxFault(`${file} holds more than ${MOST_BYTES} bytes, which is no secret`);
  if (text === "") throw new SyntaxFault(`${file} is empty, where a secret was expected`);
  return text;
}
