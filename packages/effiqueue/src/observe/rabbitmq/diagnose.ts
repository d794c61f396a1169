/**
 * What could keep a queue from being read, asked before it matters. DESIGN 7.4, 7.10.
 */
import type { Diagnosis } from "../../model/diagnosis.ts";
import { ALARMS_PATH, alarmsIn, noteOn, OVERVIEW_PATH } from "./broker-watch.ts";
import { RabbitError } from "./errors.ts";
import type { ManagementClient } from "./http.ts";
import { listPath } from "./management.ts";
import { totalsIn } from "./parse.ts";
import { isStream, missingQueue } from "./troubles.ts";
import type { Ways } from "./ways.ts";

export async function diagnose({ amqp, management, timeoutMs }: Ways): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  const byAmqp = await settled(amqp.read(timeoutMs));
  if (byAmqp instanceof RabbitError && byAmqp.code !== "missing-queue") found.push(failed("AMQP", byAmqp));
  else
    found.push({
      subject: "AMQP",
      status: "ok",
      found: `connected to ${amqp.asked.whom}, vhost "${amqp.asked.vhost}"`,
    });

  if (management === null) {
    found.push({
      subject: "management API",
      status: "skipped",
      found: "switched off (management = false), so mu and lambda are inferred",
    });
  }
  const api = management === null ? null : await askManagement(management.client, timeoutMs);
  found.push(...queueFindings(byAmqp, api, amqp.asked));
  return [...found, ...(api?.findings ?? [])];
}

interface Asked {
  readonly findings: readonly Diagnosis[];
  /** `undefined`: it has no such queue. `null`: it could not be asked. */
  readonly type: string | null | undefined;
}

async function askManagement(client: ManagementClient, timeoutMs: number): Promise<Asked> {
  const { vhost, queue, whom } = client.asked;
  const list = await settled(client.get(listPath(vhost, queue), timeoutMs));
  if (list instanceof RabbitError) {
    const { found, remedy } = list;
    return {
      findings: [
        {
          subject: "management API",
          status: "warning",
          found: `${found}; without it mu and lambda are inferred`,
          remedy,
        },
      ],
      type: null,
    };
  }
  const findings: Diagnosis[] = [{ subject: "management API", status: "ok", found: `${whom} answers and permits` }];
  const overview = await settled(client.get(OVERVIEW_PATH, timeoutMs));
  const note = overview instanceof RabbitError ? null : noteOn(overview);
  if (note !== null)
    findings.push({
      subject: "statistics",
      status: "warning",
      found: note,
      remedy: "let the broker count: rates_mode = basic",
    });
  else findings.push({ subject: "statistics", status: "ok", found: "the broker counts rates" });
  const answer = await settled(client.answer(ALARMS_PATH, timeoutMs));
  const alarms = answer instanceof RabbitError ? undefined : alarmsIn(answer);
  findings.push(alarmFinding(alarms));
  const totals = totalsIn(list, queue);
  return { findings, type: totals === undefined ? undefined : (totals.type ?? "unknown") };
}

function alarmFinding(alarms: string | null | undefined): Diagnosis {
  const subject = "alarms";
  if (alarms === undefined)
    return { subject, status: "skipped", found: "this user, or this version of the broker, does not tell" };
  if (alarms === null) return { subject, status: "ok", found: "none" };
  return {
    subject,
    status: "warning",
    found: `the broker takes no messages: ${alarms}`,
    remedy: "free what it runs short of",
  };
}

function queueFindings(
  byAmqp: unknown,
  api: Asked | null,
  asked: { readonly vhost: string; readonly queue: string },
): Diagnosis[] {
  const subject = "queue";
  const isMissing =
    (byAmqp instanceof RabbitError && byAmqp.code === "missing-queue") || (api?.type === undefined && api !== null);
  if (isMissing) return [failed(subject, missingQueue(asked))];
  if (api?.type === "stream") return [failed(subject, isStream(asked))];
  if (byAmqp instanceof RabbitError && (api === null || api.type === null)) {
    return [{ subject, status: "skipped", found: "could not be asked for" }];
  }
  const type = api?.type ?? "unknown";
  return [{ subject, status: "ok", found: `"${asked.queue}" exists, type ${type}` }];
}

const failed = (subject: string, { found, remedy }: RabbitError): Diagnosis => ({
  subject,
  status: "failed",
  found,
  remedy,
});

async function settled<T>(work: Promise<T>): Promise<T | RabbitError> {
  try {
    return await work;
  } catch (error) {
    return error instanceof RabbitError ? error : new RabbitError("other", String(error), "please report it");
  }
}
