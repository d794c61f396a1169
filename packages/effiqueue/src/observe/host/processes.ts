/**
 * The members of process groups, found in /proc. DESIGN 7.6.
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

/** Looks from one pass over all processes to the next. */
const ALL_AT_EVERY = 6;

/**
 * A process is born into the group of its parent, and next to none ever joins another: whoever was a stranger at the last look is
 * not asked again, until a pass over all finds the exceptions and those that have a stranger's number.
 */
export class GroupScan {
  readonly #root: string;
  #strangers: ReadonlySet<number> = new Set();
  #look = 0;

  /** @param root the folder above `proc` */
  constructor(root: string) {
    this.#root = root;
  }

  /** Living processes of these groups. Whoever goes while we look is not among them. */
  membersOf(groups: ReadonlySet<number>): readonly GroupMember[] {
    const asksAll = this.#look % ALL_AT_EVERY === 0;
    this.#look += 1;
    const members: GroupMember[] = [];
    const strangers = new Set<number>();
    for (const pid of pidsIn(`${this.#root}/proc`)) {
      // A leader is seen before it has left the group of its parent, should the look come in the midst of its start.
      const isKnownStranger = !asksAll && this.#strangers.has(pid) && !groups.has(pid);
      const member = isKnownStranger ? undefined : memberIn(readSmallFile(`${this.#root}/proc/${pid}/stat`) ?? "");
      if (member !== undefined && groups.has(member.groupId)) members.push({ pid, ...member });
      else strangers.add(pid);
    }
    this.#strangers = strangers;
    return members;
  }
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

/** State, group, time of start and resident pages, of fifty fields: at times every process of the machine is looked at. */
const FIELDS = /^\) (\S) \S+ (\S+)(?: \S+){16} (\S+) \S+ (\S+)/;

/**
 * @param stat `/proc/PID/stat`. The command's name in it may hold blanks and parentheses, so fields count from the last one
 * @returns `undefined` for a zombie too: it has no memory left
 */
export function memberIn(stat: string): Omit<GroupMember, "pid"> | undefined {
  const [, state, groupId, startTime, pages] = FIELDS.exec(stat.slice(stat.lastIndexOf(")"))) ?? [];
  if (startTime === undefined || pages === undefined || state === "Z" || state === "X") return undefined;
  return { groupId: Number(groupId), startTime, pages: Number(pages) };
}
