/**
 * The one transaction a worker lives on: outcomes in, jobs out. DESIGN 9.5.
 */
import type { ExchangeRequest, ExchangeResult, JobId } from "../model.ts";
import { claim, hasPending } from "./claim.ts";
import { clockJumped, followClock } from "./clock-jumps.ts";
import { nextDueMs, promoteDue } from "./due.ts";
import { finishAll } from "./finish.ts";
import { pagesOfText, type Session } from "./session.ts";

const WORKER = "SELECT cordoned FROM workers WHERE id = ?";

const CANCELLING = `
  SELECT id FROM jobs INDEXED BY jobs_cancelling WHERE state = 2 AND cancel_requested = 1 AND worker_id = ?`;

interface Standing {
  readonly registered: boolean;
  readonly cordoned: boolean;
  readonly mayClaim: boolean;
}

function standingOf(session: Session, request: ExchangeRequest): Standing {
  const row = session.sql(WORKER).get(request.workerId) as { cordoned: number } | undefined;
  const registered = row !== undefined;
  const cordoned = row?.cordoned === 1;
  return { registered, cordoned, mayClaim: registered && !cordoned && request.claim > 0 };
}

const isDue = (dueMs: number | null, nowMs: number): boolean => dueMs !== null && dueMs <= nowMs;

function answer(
  session: Session,
  request: ExchangeRequest,
  { registered, cordoned }: Standing,
  found: Pick<ExchangeResult, "claimed" | "refused"> & { readonly dueMs: number | null },
): ExchangeResult {
  const { claimed, refused, dueMs } = found;
  const cancelling = session.sql(CANCELLING).all(request.workerId) as { id: JobId }[];
  return {
    claimed,
    refused,
    cancelRequested: cancelling.map(({ id }) => id),
    nextDueInMs: dueMs === null ? null : Math.max(0, dueMs - session.now()),
    registered,
    cordoned,
  };
}

/** The answer when there is nothing to do. Idle workers ask often, and must not lock out those who write. */
function idle(session: Session, request: ExchangeRequest): ExchangeResult | undefined {
  if (request.outcomes.length > 0) return undefined;
  const standing = standingOf(session, request);
  const dueMs = nextDueMs(session);
  const worthALock =
    standing.mayClaim && (isDue(dueMs, session.now()) || clockJumped(session) || hasPending(session, request.queues));
  return worthALock ? undefined : answer(session, request, standing, { claimed: [], refused: [], dueMs });
}

function trade(session: Session, request: ExchangeRequest): ExchangeResult {
  followClock(session);
  const nowMs = session.now();
  const refused = finishAll(session, request.outcomes, nowMs);
  const standing = standingOf(session, request);
  let dueMs = nextDueMs(session);
  if (!standing.mayClaim) return answer(session, request, standing, { claimed: [], refused, dueMs });
  if (isDue(dueMs, nowMs)) {
    promoteDue(session, nowMs);
    dueMs = nextDueMs(session);
  }
  const { workerId, claim: count, queues } = request;
  const claimed = claim(session, { workerId, count, queues }, nowMs);
  return answer(session, request, standing, { claimed, refused, dueMs });
}

/** As measured with 1 to 64 slots: the indexes' few, and jobs that lie side by side. */
const pagesOf = ({ outcomes, claim }: ExchangeRequest): number => 6 + (outcomes.length + claim) / 9;

/** A row is written as a whole at every change, so what is long in it is written now, and once more when the run has ended. */
function pagesOfLongTexts({ outcomes }: ExchangeRequest, { claimed }: ExchangeResult): number {
  let pages = 0;
  for (const { argsJson } of claimed) pages += 2 * pagesOfText(argsJson);
  for (const outcome of outcomes) if (outcome.kind === "completed") pages += pagesOfText(outcome.resultJson);
  return pages;
}

export function exchange(session: Session, request: ExchangeRequest): ExchangeResult {
  const pages = (result: ExchangeResult): number => pagesOf(request) + pagesOfLongTexts(request, result);
  return idle(session, request) ?? session.immediate(() => trade(session, request), pages);
}
