/**
 * What is found out about a file before it is used as a queue. DESIGN 9.1, 9.2.
 */
import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { FlexiqError } from "../errors.ts";
import type { Connection } from "./drivers/driver.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "./migrations/migrations.ts";

/** WAL needs memory that all processes share, and locks that hold; across machines these give neither. */
const NETWORK_FILESYSTEMS: ReadonlySet<string> = new Set([
  ..."nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs ncpfs afs coda 9p ceph glusterfs lustre gfs gfs2 ocfs2 orangefs pvfs2 beegfs gpfs".split(
    " ",
  ),
  ..."fuse.sshfs fuse.s3fs fuse.rclone fuse.ceph fuse.ceph-fuse fuse.glusterfs fuse.gcsfuse fuse.goofys fuse.juicefs".split(
    " ",
  ),
  ..."fuse.mount-s3 fuse.davfs davfs fuse.curlftpfs fuse.smbnetfs fuse.nfs fuse.moosefs fuse.seaweedfs".split(" "),
]);

/** Before SQLite sees it, for it would put a journal beside a device. @throws FlexiqError cannot-open */
export function refuseNoFile(dbPath: string): void {
  const there = statSync(dbPath, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  const what = there.isDirectory() ? "a folder" : "a device or the like";
  throw new FlexiqError("cannot-open", `${dbPath} is ${what}; dbPath names a file`);
}

/** `\040` and the like, as the kernel writes spaces in a path. */
const unescape = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

/** The filesystem that holds `folder`, by the table of mounts; `undefined` where there is none to read (not Linux). */
export function filesystemOf(folder: string, mountInfoPath: string): string | undefined {
  let table: string;
  try {
    table = readFileSync(mountInfoPath, "utf8");
  } catch {
    return undefined;
  }
  let best: { point: string; type: string } | undefined;
  for (const line of table.split("\n")) {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4];
    const type = after?.split(" ")[0];
    if (point === undefined || type === undefined) continue;
    const path = unescape(point);
    const holds = path === "/" || folder === path || folder.startsWith(`${path}/`);
    // Of several mounts on one point the last one is on top.
    if (holds && path.length >= (best?.point.length ?? 0)) best = { point: path, type };
  }
  return best?.type;
}

/** @throws FlexiqError network-filesystem */
export function refuseNetworkFilesystem(dbPath: string, mountInfoPath: string): void {
  const folder = realpathSync(dirname(dbPath));
  const type = filesystemOf(folder, mountInfoPath);
  if (type === undefined || !NETWORK_FILESYSTEMS.has(type)) return;
  throw new FlexiqError(
    "network-filesystem",
    `${dbPath} is on a network filesystem (${type}), where several processes can damage a SQLite file: ` +
      "put it on a local disk, or allow it (allowNetworkFilesystem) if only one machine uses it",
  );
}

/**
 * Whose file this is.
 *
 * @returns the schema's number; 0 of a file that is empty
 * @throws FlexiqError foreign-file, newer-schema
 */
export function schemaVersion(db: Connection, dbPath: string): number {
  const read = (sql: string): number => Object.values(db.prepare(sql).get() as Record<string, number>)[0] ?? 0;
  const owner = read("PRAGMA application_id");
  const version = read("PRAGMA user_version");
  if (owner === 0 && version === 0 && read("SELECT count(*) FROM sqlite_schema") === 0) return 0;
  if (owner !== APPLICATION_ID) {
    throw new FlexiqError(
      "foreign-file",
      `${dbPath} is a SQLite database of something else: choose another path for the queue`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new FlexiqError(
      "newer-schema",
      `${dbPath} has schema ${version}, this flexiq knows up to ${SCHEMA_VERSION}: upgrade flexiq here; the file was not touched`,
    );
  }
  return version;
}
