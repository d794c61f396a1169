/** The state of a program in one sentence, and what there is to do about it: what somebody reads first at three in the morning. */
import type { DecisionEntry, ProgramStatus } from "../../src/report/api-types.ts";
import { drainSecOf } from "../../src/report/drain-time.ts";
import { counted, durationText, figure, isOrAre } from "../../src/report/explain-words.ts";
import { gapWords } from "../../src/report/gap-words.ts";
import { whyOf } from "../../src/report/reasons/reasons.ts";
import { advised, spelled } from "../../src/report/spelling.ts";
import { troublesOf } from "../../src/report/troubles.ts";

export interface Verdict {
  /** bad: the promise cannot be kept; warn: somebody should look; good: it is kept; calm: nothing to judge yet. */
  readonly tone: "bad" | "warn" | "good" | "calm";
  readonly title: string;
  /** Two or three words, for lists and for the title of the tab. */
  readonly brief: string;
  readonly lines: readonly string[];
}

export function verdictOf(status: ProgramStatus): Verdict {
  const { state, decision, spawnBackoffSec } = status;
  const troubles = troublesOf(status);
  const advice = (text: string): string[] => {
    const open = advised(text, status.settings);
    return open === undefined ? [] : [`${open}.`];
  };
  const about = (tone: Verdict["tone"], title: string, brief: string, ...lines: readonly string[]): Verdict => ({
    tone,
    title,
    brief,
    lines: [...lines, ...troubles.filter((trouble) => trouble !== title)],
  });
  if (state === "lost") return about("warn", "Another process runs this pool now.", "lost");
  if (decision === null) return about("calm", "The first look at the queue is not over yet.", "starting");
  if (state === "unreadable") {
    const title = "The queue cannot be read, so the pool is held.";
    return about(
      "warn",
      title,
      "unreadable",
      ...advice("Nothing has to be restarted; `effiqueue doctor` looks for the cause"),
    );
  }
  if (decision.gap !== null) return gapVerdict(status, decision, decision.gap, about);
  if ((spawnBackoffSec ?? 0) > 0) {
    const title = `Workers crash in a row: no more are started for ${figure(spawnBackoffSec)} s.`;
    return about("warn", title, "crashing", ...advice("Their own log says why; `effiqueue doctor` tries the command"));
  }
  if (status.mode === "slo") return promise(status, decision, about);
  return about("calm", sizeText(status), decision.reason, whyOf(decision, status));
}

type About = (tone: Verdict["tone"], title: string, brief: string, ...lines: readonly string[]) => Verdict;

const TOO_SMALL: Readonly<Record<DecisionEntry["boundBy"], string>> = {
  ram: "This machine is too small",
  swap: "This machine swaps",
  oom: "The kernel had to kill",
  pressure: "This machine waits for memory",
  max_workers: "max_workers is too low",
  cpu: "The processors are too slow",
  downstream: "What the workers depend on is too slow",
  "single-consumer": "The queue serves one consumer at a time",
};

function gapVerdict(
  { sloGoal, sloSec, settings }: ProgramStatus,
  decision: DecisionEntry,
  gap: NonNullable<DecisionEntry["gap"]>,
  about: About,
): Verdict {
  const { missing, drain, remedy } = gapWords({ ...decision, gap, sloGoal, sloSec, settings });
  const title = `${spelled(TOO_SMALL[decision.boundBy], settings)}: ${counted(gap.workers, "worker")} ${isOrAre(gap.workers)} missing.`;
  return about("bad", title, `${gap.workers} missing`, missing, drain, `To close it: ${remedy}.`);
}

/** In the modes without a promise there is nothing to judge by. */
function sizeText({ workers, queue }: ProgramStatus): string {
  const running = workers?.current ?? 0;
  const waiting = queue?.ready ?? 0;
  return `${counted(running, "worker")} ${running === 1 ? "runs" : "run"}, ${counted(waiting, "message")} ${waiting === 1 ? "waits" : "wait"}.`;
}

/** In mode slo, without a gap. */
function promise(status: ProgramStatus, decision: DecisionEntry, about: About): Verdict {
  const { queue, workers } = status;
  const why = whyOf(decision, status);
  const needed = decision.neededWorkers;
  const running = workers?.current ?? 0;
  if (queue?.backlog === 0) return about("good", "The queue is empty.", "empty", why);
  if (needed === null) return about("calm", "How fast a worker is, is being measured.", "measuring", why);
  if (running >= needed) return about("good", keptText(status), "on time", why);
  const title = `${counted(needed, "worker")} ${isOrAre(needed)} needed, ${running} ${running === 1 ? "runs" : "run"}.`;
  return about("calm", title, `${running} of ${needed}`, why);
}

function keptText(status: ProgramStatus): string {
  const promised = durationText(status.sloSec);
  if (status.sloGoal === "wait") return `No message waits longer than the promised ${promised}.`;
  const seconds = drainSec(status);
  if (seconds === null || seconds > (status.sloSec ?? 0))
    return `There are enough workers for the promised ${promised}.`;
  return `The queue empties in ${durationText(seconds)}; ${promised} are promised.`;
}

/** With the workers that there are. */
export const drainSec = ({ queue, workers, decision }: ProgramStatus): number | null =>
  drainSecOf({
    backlog: queue?.backlog ?? null,
    muPerSec: decision?.muPerSec ?? null,
    lambdaPerSec: decision?.lambdaPerSec ?? null,
    workers: workers?.current ?? null,
  });
