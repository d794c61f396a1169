/**
 * A unix socket in a state folder: for the owner of the folder alone, and as long as the lock beside it is held. DESIGN 7.12.
 */
import { chmodSync, closeSync, constants, openSync, renameSync, rmSync, statSync } from "node:fs";
import type { Server } from "node:http";
import { join } from "node:path";
import { closed, closedWhenAnswered } from "../../report/http/clients.ts";

export const SOCKET_NAME = "control.sock";

/** Of `sun_path` with its end, on Linux; 4 more than elsewhere. A longer one is cut off without a word. */
const LONGEST_PATH_BYTES = 103;

class SocketPathError extends Error {
  override readonly name = "SocketPathError";
  readonly code = "socket-path";

  constructor(folder: string) {
    super(
      `${folder}: the path of a socket has at most ${LONGEST_PATH_BYTES} bytes on this system: choose a shorter state_dir`,
    );
  }
}

export interface ShortPath {
  readonly path: string;
  /** When nothing goes by this path any more. Harmless twice. */
  free(): void;
}

/**
 * A path of the socket that the system can take. Linux knows an open folder by a short name as well.
 *
 * @throws SocketPathError; as `openSync` for a folder that cannot be opened
 */
export function shortPath(folder: string, name: string): ShortPath {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return { path, free: () => undefined };
  if (process.platform !== "linux") throw new SocketPathError(folder);
  let handle: number | undefined = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${handle}/${name}`,
    free: () => {
      if (handle !== undefined) closeSync(handle);
      handle = undefined;
    },
  };
}

export interface OpenSocket {
  /** Harmless twice. A successor's socket in the same place stays. */
  close(): Promise<void>;
}

/**
 * Listens under another name first: what appears is private already, and replaces what a dead daemon left. The caller holds the lock
 * of the folder.
 *
 * @throws SocketPathError, and what the system says
 */
export async function listenIn(folder: string, server: Server): Promise<OpenSocket> {
  const draft = `${SOCKET_NAME}.new`;
  const place = join(folder, SOCKET_NAME);
  rmSync(join(folder, draft), { force: true });
  const short = shortPath(folder, draft);
  try {
    await listening(server, short.path);
    chmodSync(join(folder, draft), 0o600);
    renameSync(join(folder, draft), place);
  } catch (error) {
    await closed(server);
    short.free();
    throw error;
  }
  const own = inodeOf(place);
  return {
    close: async () => {
      if (own !== undefined && inodeOf(place) === own) rmSync(place, { force: true });
      await closedWhenAnswered(server);
      // Node unlinks the path that it listened at, so until now the number must not have been another folder's.
      short.free();
    },
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ path }, () => {
      server.off("error", reject);
      server.on("error", () => undefined);
      resolve();
    });
  });
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch {
    return undefined;
  }
}
