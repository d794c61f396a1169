/**
 * Which control groups we are in, and where their files are. DESIGN 7.5. Pure.
 */

/** Folders of our group and of those around it in one hierarchy, ours first, up to the one that is mounted. */
export interface Groups {
  readonly version: 1 | 2;
  readonly folders: readonly string[];
}

export type Controller = "memory" | "cpu" | "cpuacct";

/** A hierarchy that can be seen. */
export interface Mount {
  readonly version: 1 | 2;
  /** Of version 1, where each controller may have a hierarchy of its own. */
  readonly controllers: readonly string[];
  /** What part of the hierarchy is mounted: a container may see its own group only. */
  readonly root: string;
  readonly folder: string;
}

/**
 * @param membership `/proc/self/cgroup`
 * @returns the hierarchies that may limit what it controls; both versions can be mounted at a time
 */
export function ownGroups(membership: string, mounts: readonly Mount[], controller: Controller): readonly Groups[] {
  return ([2, 1] as const).flatMap((version): readonly Groups[] => {
    const path = ownPath(membership, version === 2 ? "" : controller);
    if (path === undefined) return [];
    const candidates = mounts.filter(
      (mount) => mount.version === version && (version === 2 || mount.controllers.includes(controller)),
    );
    const mount = candidates.find(({ root }) => isBelow(path, root)) ?? candidates[0];
    return mount === undefined ? [] : [{ version, folders: foldersFrom(path, mount) }];
  });
}

/** Lines are `0::/path` for version 2 and `4:memory:/path` or `7:cpu,cpuacct:/path` for version 1. */
function ownPath(membership: string, controller: string): string | undefined {
  for (const line of membership.split("\n")) {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (controllers?.split(",").includes(controller) === true) return path;
  }
  return undefined;
}

/** @param mountinfo `/proc/self/mountinfo` */
export const groupMounts = (mountinfo: string): readonly Mount[] => mountinfo.split("\n").flatMap(groupMount);

/** `ID PARENT DEVICE ROOT FOLDER OPTIONS [TAGS] - TYPE SOURCE SUPER_OPTIONS`, blanks in names written as octal escapes. */
function groupMount(line: string): readonly Mount[] {
  const [before = "", after = ""] = line.split(" - ");
  const [root, folder] = before.split(" ").slice(3, 5).map(unescaped);
  const [type, , options = ""] = after.split(" ");
  if (root === undefined || folder === undefined) return [];
  if (type === "cgroup2") return [{ version: 2, controllers: [], root, folder }];
  return type === "cgroup" ? [{ version: 1, controllers: options.split(","), root, folder }] : [];
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

const isBelow = (path: string, root: string): boolean => root === "/" || path === root || path.startsWith(`${root}/`);

/** A group that the mount does not show (`/../other`, or another root) is told by the nearest one that it does. */
function foldersFrom(path: string, { root, folder }: Mount): string[] {
  const inside = isBelow(path, root) ? path.slice(root === "/" ? 0 : root.length) : "";
  const names = inside.split("/").filter((name) => name !== "");
  if (names.includes("..")) return [folder];
  return names.map((_, i) => [folder, ...names.slice(0, names.length - i)].join("/")).concat(folder);
}
