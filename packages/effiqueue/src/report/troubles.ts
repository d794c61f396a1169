/**
 * What is wrong with a program at this moment, in sentences: for `explain`, and for every screen. DESIGN 6.5. Pure.
 */
import type { ProgramStatus } from "./api-types.ts";
import { counted, dayAndTime, figure } from "./explain-words.ts";
import { overrideText } from "./override-words.ts";

export function troublesOf(status: ProgramStatus): string[] {
  return [told, lost, unread, crashing, absent, hoarding].flatMap((trouble) => trouble(status));
}

/** No trouble where it is known of, and a riddle where it was forgotten. */
function told({ override, restart }: ProgramStatus): string[] {
  const said: string[] = [];
  if (override !== null) {
    const until = override.until === null ? "until it is resumed" : `until ${dayAndTime(override.until)} (UTC)`;
    said.push(
      `By hand, since ${dayAndTime(override.since)}: ${overrideText(override.kind, override.workers)}, ${until}.`,
    );
  }
  if (restart !== null)
    said.push(`A restart is under way: ${restart.replaced} of ${counted(restart.workers, "worker")} replaced.`);
  return said;
}

const lost = ({ state }: ProgramStatus): string[] =>
  state === "lost" ? ["Another process runs this pool now; ask that one."] : [];

function unread({ queue, unreadable, lastGoodReadingAgeSec, lastTickAt }: ProgramStatus): string[] {
  if (queue !== null || lastTickAt === null) return [];
  const since = lastGoodReadingAgeSec === null ? "yet" : `for ${figure(Math.round(lastGoodReadingAgeSec))} s`;
  return [`The queue could not be read ${since}${unreadable === null ? "" : `: ${unreadable.message}`}.`];
}

const crashing = ({ spawnBackoffSec }: ProgramStatus): string[] =>
  spawnBackoffSec !== null && spawnBackoffSec > 0
    ? [`Workers crash in a row: no more are started for ${figure(spawnBackoffSec)} s.`]
    : [];

/** Who asks for one message at a time is no consumer, but finishes some, or has one in hand. */
function absent({ queue, workers, decision }: ProgramStatus): string[] {
  if (queue === null || workers === null || workers.serving === 0 || queue.ready === 0) return [];
  const isAnybodyThere = queue.consumers !== 0 || queue.unacked !== 0 || Boolean(queue.ackPerSec);
  if (isAnybodyThere || typeof decision?.muPerSec === "number") return [];
  const who = workers.serving === 1 ? "A worker runs" : `${workers.serving} workers run`;
  return [`${who}, and nobody takes a message: is this the queue that the command consumes, at this broker?`];
}

/** Messages that workers took in advance wait where no other worker can take them. */
const TAKEN_IN_ADVANCE = 2;

function hoarding({ queue, workers, decision }: ProgramStatus): string[] {
  if (queue === null || workers === null || queue.unacked === null || queue.ready > 0 || workers.current === 0)
    return [];
  const isHoarded = queue.unacked > TAKEN_IN_ADVANCE * workers.current;
  if (!isHoarded || (decision?.neededWorkers ?? 0) <= workers.current) return [];
  return [
    `All ${queue.unacked} messages are handed out to ${counted(workers.current, "worker")}, so a new one would find none: a smaller prefetch of the workers spreads them.`,
  ];
}
