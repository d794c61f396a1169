/**
 * The members of process groups, found in one pass over /proc. DESIGN 7.6.
 */
import { readdirSync } from "node:fs";
import { readSmallFile } from "./files.ts";

export interface GroupMember {
  readonly pid: number;
  readonly groupId: number;
  /** Tells two users of one pid apart. */
  readonly startTime: string;
  /** Resident pages, of a size that only the kernel knows. */
  readonly pages: number;
}

/** Living processes of these groups. Whoever goes while we look is not among them. */
export function membersOf(root: string, groups: ReadonlySet<number>): readonly GroupMember[] {
  return pidsIn(`${root}/proc`).flatMap((pid): readonly GroupMember[] => {
    const member = memberIn(readSmallFile(`${root}/proc/${pid}/stat`) ?? "");
    return member !== undefined && groups.has(member.groupId) ? [{ pid, ...member }] : [];
  });
}

function pidsIn(folder: string): number[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Up to the resident pages; the kernel has thirty more, and every process of the machine is looked at. */
const FIELDS = 22;

/**
 * @param stat `/proc/PID/stat`. The command's name in it may hold blanks and parentheses, so fields count from the last one
 * @returns `undefined` for a zombie too: it has no memory left
 */
export function memberIn(stat: string): Omit<GroupMember, "pid"> | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ", FIELDS);
  const [state, , groupId] = fields;
  const [startTime, , pages] = fields.slice(19);
  if (startTime === undefined || pages === undefined || state === "Z" || state === "X") return undefined;
  return { groupId: Number(groupId), startTime, pages: Number(pages) };
}
