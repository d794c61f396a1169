/**
 * Whether the daemon does its work (healthy: restart it when not) and whether its word can be relied on (ready). A queue that
 * cannot be read makes it neither: a restart would mend nothing. DESIGN 6.5. Pure.
 */
import type { ProgramStatus, StatusReply } from "../api-types.ts";

export interface Verdict {
  readonly ok: boolean;
  /** Why not, for each program that it is about. */
  readonly reasons: readonly string[];
}

const verdict = (reasons: readonly string[]): Verdict => ({ ok: reasons.length === 0, reasons });

/** A tick that waits for everything it may wait for ends well within it. */
const GRACE_SEC = 30;
const POLLS = 3;

/** A program that has not ticked for longer hangs. */
export const silentAfterSec = (pollIntervalSec: number): number => POLLS * pollIntervalSec + GRACE_SEC;

/** Every program has ticked within a few poll intervals, or the daemon has just started. */
export function healthOf({ programs, uptimeSec, pollIntervalSec }: StatusReply): Verdict {
  const limitSec = silentAfterSec(pollIntervalSec);
  const reasons = programs.flatMap(({ program, state, lastTickAgeSec }) => {
    // Whoever has the pool now ticks for it.
    const ageSec = state === "lost" ? 0 : (lastTickAgeSec ?? uptimeSec);
    return ageSec <= limitSec
      ? []
      : [`${program}: no tick for ${Math.round(ageSec)} s, polls are ${pollIntervalSec} s apart`];
  });
  return verdict(reasons);
}

/** Every queue has been read at least once. */
export function readinessOf({ programs }: StatusReply): Verdict {
  return verdict(programs.flatMap((program) => notReady(program) ?? []));
}

function notReady({ program, state, unreadable, lastGoodReadingAgeSec }: ProgramStatus): string | undefined {
  if (state === "lost") return `${program}: another process runs this pool now`;
  if (lastGoodReadingAgeSec !== null) return undefined;
  return unreadable === null
    ? `${program}: the queue has not been read yet`
    : `${program}: the queue could not be read yet: ${unreadable.message}`;
}
