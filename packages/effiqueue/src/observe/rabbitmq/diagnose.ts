/**
 * What could keep a queue from being read, asked before it matters. DESIGN 7.4, 7.10.
 */
import type { Diagnosis } from "../../model/diagnosis.ts";
import type { AmqpCounts, AmqpReader } from "./amqp.ts";
import { ALARMS_PATH, alarmsIn, noteOn, OVERVIEW_PATH } from "./broker-watch.ts";
import { RabbitError } from "./errors.ts";
import type { ManagementClient } from "./http.ts";
import { type Totals, totalsIn } from "./parse.ts";
import { listPath, patternOf } from "./queue-list.ts";
import { isStream, missingQueue } from "./troubles.ts";
import type { Ways } from "./ways.ts";

export async function diagnose({ amqp, management, timeoutMs }: Ways): Promise<readonly Diagnosis[]> {
  const counts = await settled(amqp.read(timeoutMs));
  if (management === null) {
    const found = "switched off (management = false), so mu and lambda are inferred";
    const skipped: Diagnosis = { subject: "management API", status: "skipped", found };
    return [amqpFinding(amqp, counts), queueFinding(amqp, counts, null), skipped];
  }
  const { client } = management;
  const { vhost, queue } = amqp.asked;
  const list = await settled(client.get(listPath(vhost, [patternOf(queue)]), timeoutMs));
  const totals = list instanceof RabbitError ? null : totalsIn(list).get(queue);
  const findings = [amqpFinding(amqp, counts), queueFinding(amqp, counts, totals), managementFinding(client, list)];
  if (list instanceof RabbitError) return findings;
  return [...findings, await statisticsFinding(client, timeoutMs), await alarmFinding(client, timeoutMs)];
}

/** A queue that is missing was asked for by a connection in order. */
function amqpFinding({ asked }: AmqpReader, counts: AmqpCounts | RabbitError): Diagnosis {
  const subject = "AMQP";
  if (counts instanceof RabbitError && counts.code !== "missing-queue") return failed(subject, counts);
  return { subject, status: "ok", found: `connected to ${asked.whom}, vhost "${asked.vhost}"` };
}

/** @param totals `undefined`: the management API has no such queue. `null`: it could not be asked. */
function queueFinding(
  { asked }: AmqpReader,
  counts: AmqpCounts | RabbitError,
  totals: Totals | undefined | null,
): Diagnosis {
  const subject = "queue";
  const isUnknown = counts instanceof RabbitError;
  if (totals === undefined || (isUnknown && counts.code === "missing-queue")) {
    return failed(subject, missingQueue(asked));
  }
  if (totals?.type === "stream") return failed(subject, isStream(asked));
  if (totals === null && isUnknown) return { subject, status: "skipped", found: "nobody could be asked for it" };
  const type = totals?.type ?? "unknown, for AMQP does not tell; a stream would be of no use";
  return { subject, status: "ok", found: `"${asked.queue}" exists, type ${type}` };
}

/** Only a warning: AMQP does without. */
function managementFinding({ asked }: ManagementClient, list: unknown): Diagnosis {
  const subject = "management API";
  if (!(list instanceof RabbitError)) return { subject, status: "ok", found: `${asked.whom} answers and permits` };
  return { ...failed(subject, list), status: "warning", found: `${list.found}; without it mu and lambda are inferred` };
}

async function statisticsFinding(client: ManagementClient, timeoutMs: number): Promise<Diagnosis> {
  const subject = "statistics";
  const overview = await settled(client.get(OVERVIEW_PATH, timeoutMs));
  if (overview instanceof RabbitError) return { subject, status: "skipped", found: overview.found };
  const note = noteOn(overview);
  if (note === null) return { subject, status: "ok", found: "the broker counts rates" };
  return { subject, status: "warning", found: note, remedy: "undo that setting of the broker" };
}

async function alarmFinding(client: ManagementClient, timeoutMs: number): Promise<Diagnosis> {
  const subject = "alarms";
  const answer = await settled(client.answer(ALARMS_PATH, timeoutMs));
  const alarms = answer instanceof RabbitError ? undefined : alarmsIn(answer);
  if (alarms === undefined) {
    return { subject, status: "skipped", found: "this user, or this version of the broker, does not tell" };
  }
  if (alarms === null) return { subject, status: "ok", found: "none" };
  const found = `the broker takes no messages: ${alarms}`;
  return { subject, status: "warning", found, remedy: "free what it runs short of, or raise its limit" };
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
