/**
 * The certificates of a connection. DESIGN 7.1.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { codeOf } from "../../model/errors.ts";
import { RabbitError } from "./errors.ts";

/** Paths of PEM files. They are read when a connection is made, so a renewed certificate needs no restart. */
export interface TlsFiles {
  /** Authority that vouches for the server, instead of those that Node knows. */
  readonly tlsCa?: string | undefined;
  /** What this client shows when it is asked for a certificate. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** @throws RabbitError that names the file that cannot be read */
export function tlsMaterial({ tlsCa, tlsCert, tlsKey }: TlsFiles): TlsMaterial {
  return {
    ...(tlsCa === undefined ? {} : { ca: read("tls_ca", tlsCa) }),
    ...(tlsCert === undefined ? {} : { cert: read("tls_cert", tlsCert) }),
    ...(tlsKey === undefined ? {} : { key: read("tls_key", tlsKey) }),
  };
}

function read(key: string, path: string): Buffer {
  try {
    return regularFile(path);
  } catch (error) {
    const why = error instanceof NoFileError ? error.message : codeOf(error) || String(error);
    throw new RabbitError(
      "tls",
      `${key}: cannot read ${path}: ${why}`,
      "check the path, and that this user may read it",
    );
  }
}

class NoFileError extends Error {}

/** A pipe in its place would be waited for, and a device may never end: the daemon would stand still with either. */
function regularFile(path: string): Buffer {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(handle).isFile()) throw new NoFileError("it is no regular file");
    return readFileSync(handle);
  } finally {
    closeSync(handle);
  }
}
