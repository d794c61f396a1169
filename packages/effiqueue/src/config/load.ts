/**
 * A configuration file, from its path to programs that can be run. DESIGN 5.1.
 */
import { hostname } from "node:os";
import { dirname, extname, resolve } from "node:path";
import { codeOf } from "../model/errors.ts";
import { readBounded, SILENT_PIPE } from "./bounded-file.ts";
import type { Environment } from "./environment.ts";
import { ConfigError } from "./errors.ts";
import type { RawConfig } from "./raw.ts";
import { readSupervisor } from "./supervisor.ts";
import { readToml } from "./toml.ts";
import { withoutSecrets } from "./unread-secrets.ts";
import { type Config, validate } from "./validate.ts";

export interface LoadOptions {
  /** Default: that of this process. */
  readonly env?: Environment;
  /** Overrides the mode of every program (`--mode`). */
  readonly mode?: string | undefined;
  /** False: for somebody who connects to nothing. The keys that may hold secrets are not read, and nobody needs their variables. */
  readonly secrets?: boolean;
}

/** Thousands of programs. */
const MOST_BYTES = 4 * 1024 * 1024;

export const SUPERVISOR_FILES = [".conf", ".ini", ".cfg"];

/**
 * @param file a Supervisor file when it ends in `.conf`, `.ini` or `.cfg`, TOML otherwise
 * @throws ConfigError naming everything that is wrong, and never a credential
 */
export function loadConfig(file: string, { env = process.env, mode, secrets = true }: LoadOptions = {}): Config {
  const raw = readRaw(file, env);
  return validate(file, secrets ? raw : withoutSecrets(raw), { env, mode });
}

/** @throws ConfigError for a file that is not text, or no TOML; whatever else is wrong is in `problems` */
export function readRaw(file: string, env: Environment = process.env): RawConfig {
  const source = readSource(file);
  const isSupervisor = SUPERVISOR_FILES.includes(extname(file).toLowerCase());
  const place = { here: dirname(resolve(file)), hostname: hostname(), env };
  return isSupervisor ? readSupervisor(file, source, place) : readToml(file, source);
}

function readSource(file: string): string {
  let bytes: Buffer | undefined;
  try {
    bytes = readBounded(file, MOST_BYTES);
  } catch (cause) {
    throw new ConfigError([{ file, text: `cannot be read: ${reasonOf(cause)}` }], { cause });
  }
  if (bytes === undefined) throw new ConfigError([{ file, text: "is longer than 4 MiB; is it a configuration?" }]);
  try {
    // A byte order mark, as some editors leave it, is dropped.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new ConfigError([{ file, text: "is not text in UTF-8; save it as that" }], { cause });
  }
}

function reasonOf(cause: unknown): string {
  const code = codeOf(cause);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "this user may not read it";
  if (code === "EISDIR") return "it is a folder; name the file in it";
  if (code === SILENT_PIPE) return "it is a pipe that nobody writes to; name a file";
  return code || String(cause);
}
