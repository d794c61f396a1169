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

interface Mount {
  readonly path: string;
  readonly type: string;
}

/** The table of mounts; empty where there is none to read (not Linux). */
function mountsOf(mountInfoPath: string): readonly Mount[] {
  let table: string;
  try {
    table = readFileSync(mountInfoPath, "utf8");
  } catch {
    return [];
  }
  return table.split("\n").flatMap((line) => {
    const [before, after] = line.split(" - ");
    const point = before?.split(" ")[4];
    const type = after?.split(" ")[0];
    return point === undefined || type === undefined ? [] : [{ path: unescape(point), type }];
  });
}

/** The filesystem that holds `folder`; `undefined` where there is no table of mounts. */
export function filesystemOf(folder: string, mountInfoPath: string): string | undefined {
  let best: Mount | undefined;
  for (const mount of mountsOf(mountInfoPath)) {
    const { path } = mount;
    const holds = path === "/" || folder === path || folder.startsWith(`${path}/`);
    // Of several mounts on one point the last one is on top.
    if (holds && path.length >= (best?.path.length ?? 0)) best = mount;
  }
  return best?.type;
}

/**
 * SQLite keeps its log beside the path by which a file was opened. By two paths there are two logs of one file, and what one of them
 * acknowledged is lost.
 *
 * @throws FlexiqError cannot-open
 */
export function refuseSecondName(dbPath: string, mountInfoPath: string): void {
  const there = statSync(dbPath, { throwIfNoEntry: false });
  if (there === undefined) return;
  const why = "jobs are lost when a file is used by two names";
  if (there.nlink > 1) {
    throw new FlexiqError(
      "cannot-open",
      `${dbPath} has another name (a hard link), and ${why}: remove the other one, which find -samefile finds`,
    );
  }
  const path = realpathSync(dbPath);
  if (!mountsOf(mountInfoPath).some((mount) => mount.path === path)) return;
  throw new FlexiqError(
    "cannot-open",
    `${dbPath} is mounted by itself, so it has another name elsewhere, and ${why}: mount the folder that holds it instead`,
  );
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
