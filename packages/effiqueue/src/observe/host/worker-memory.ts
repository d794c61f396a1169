/**
 * The memory of whole process groups, shared pages counted once. DESIGN 7.6.
 *
 * A proportional set size (PSS) divides each page among those who share it; twenty workers of one runtime have a quarter of the
 * sum of their resident sizes. It is dear, because the kernel walks the page tables for it, so of many processes only some are
 * asked at a look, and the others scaled by what they said before.
 */
import { readSlowFile, readSmallFile } from "./files.ts";
import { type GroupMember, GroupScan } from "./processes.ts";
import { fieldIn } from "./texts.ts";

/** A millisecond each for a worker of 40 MB: the question must not cost more than the answer is worth, with however many workers. */
const MOST_ASKED_AGAIN = 8;

/** A fourth of the processes, so that each is asked at every fourth look while they are few. */
const PART_ASKED_AGAIN = 1 / 4;

/** A process whose resident size has changed by more is asked at once. */
const CHANGE_THAT_MATTERS = 1 / 20;

/** The kernel answers for a process only when it gets the lock of its memory; two, so that two threads are left to others. */
const ASKED_AT_A_TIME = 2;

/** A process that is stuck in the kernel may never answer; a look must not wait for it. */
const ANSWERS_WITHIN_MS = 2_000;

interface Known {
  readonly startTime: string;
  readonly bytes: number;
  /** Resident pages at the time. */
  readonly pages: number;
  /** The number of the look that asked. */
  readonly look: number;
}

export class WorkerMemory {
  readonly #root: string;
  readonly #scan: GroupScan;
  #known = new Map<number, Known>();
  /** Asked, and has not answered yet. */
  readonly #asked = new Set<number>();
  #look = 0;

  /** @param root the folder above `proc` */
  constructor(root: string) {
    this.#root = root;
    this.#scan = new GroupScan(root);
  }

  /** Bytes by leader; a group that nobody is in is left out. Never rejects. */
  async read(leaders: readonly number[]): Promise<ReadonlyMap<number, number>> {
    if (leaders.length === 0) return new Map();
    this.#look += 1;
    const members = this.#scan.membersOf(new Set(leaders));
    this.#forgetAllBut(members);
    await this.#ask(this.#toAsk(members));
    const groupBytes = new Map<number, number>();
    for (const member of members) {
      const bytes = this.#bytesOf(member);
      if (bytes !== null) groupBytes.set(member.groupId, (groupBytes.get(member.groupId) ?? 0) + bytes);
    }
    return groupBytes;
  }

  #forgetAllBut(members: readonly GroupMember[]): void {
    const kept = new Map<number, Known>();
    for (const { pid, startTime } of members) {
      const known = this.#known.get(pid);
      if (known?.startTime === startTime) kept.set(pid, known);
    }
    this.#known = kept;
  }

  /** Whoever is new; then those that have grown or shrunk, and those asked longest ago. */
  #toAsk(members: readonly GroupMember[]): readonly GroupMember[] {
    const free = members.filter(({ pid }) => !this.#asked.has(pid));
    const isNew = ({ pid }: GroupMember): boolean => !this.#known.has(pid);
    const others = free.filter((member) => !isNew(member));
    const ranks = new Map(others.map((member) => [member.pid, this.#rankOf(member)]));
    others.sort((a, b) => (ranks.get(a.pid) ?? 0) - (ranks.get(b.pid) ?? 0));
    const changed = others.filter((member) => this.#hasChanged(member)).length;
    const count = Math.min(MOST_ASKED_AGAIN, Math.max(changed, Math.ceil(others.length * PART_ASKED_AGAIN)));
    return [...free.filter(isNew), ...others.slice(0, count)];
  }

  /** Smaller is more urgent. */
  #rankOf(member: GroupMember): number {
    const look = this.#known.get(member.pid)?.look ?? 0;
    return this.#hasChanged(member) ? look - this.#look : look;
  }

  #hasChanged({ pid, pages }: GroupMember): boolean {
    const known = this.#known.get(pid);
    return known !== undefined && Math.abs(pages - known.pages) > known.pages * CHANGE_THAT_MATTERS;
  }

  async #ask(members: readonly GroupMember[]): Promise<void> {
    const queue = [...members];
    let isOver = false;
    const askInTurn = async (): Promise<void> => {
      for (let member = queue.shift(); member !== undefined && !isOver; member = queue.shift()) {
        await this.#askOne(member);
      }
    };
    await within(Promise.all(Array.from({ length: ASKED_AT_A_TIME }, askInTurn)), ANSWERS_WITHIN_MS);
    isOver = true;
  }

  async #askOne({ pid, startTime, pages }: GroupMember): Promise<void> {
    const look = this.#look;
    this.#asked.add(pid);
    const bytes = fieldIn(await readSlowFile(`${this.#root}/proc/${pid}/smaps_rollup`), "Pss");
    this.#asked.delete(pid);
    if (bytes !== null) this.#known.set(pid, { startTime, bytes, pages, look });
  }

  /** `null`: it has gone. */
  #bytesOf({ pid, pages }: GroupMember): number | null {
    const known = this.#known.get(pid);
    if (known !== undefined) return known.look === this.#look ? known.bytes : scaled(known, pages);
    // Another user's, or stuck. The resident size is anybody's to read, and takes no lock.
    return fieldIn(readSmallFile(`${this.#root}/proc/${pid}/status`), "VmRSS");
  }
}

const scaled = ({ bytes, pages: pagesThen }: Known, pages: number): number =>
  pagesThen === 0 ? bytes : Math.round((bytes * pages) / pagesThen);

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
