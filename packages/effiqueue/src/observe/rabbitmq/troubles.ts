/**
 * What went wrong, told apart by what sockets, the management API and AMQP say of it. DESIGN 7.4. Pure.
 */
import { codeOf, errorText } from "../../model/errors.ts";
import { RabbitError, type RabbitErrorCode } from "./errors.ts";

/** Who was asked. No part of it is a credential. */
export interface Asked {
  /** `the management API at http://broker:15672` */
  readonly whom: string;
  readonly isManagement: boolean;
  readonly vhost: string;
}

/** And for which queue. */
export interface AskedQueue extends Asked {
  readonly queue: string;
}

export interface Answer {
  readonly status: number;
  /** Media type; empty where none was said. */
  readonly type: string;
  readonly body: string;
}

const CERTIFICATE = /^(CERT_|ERR_TLS_|ERR_SSL_|EPROTO|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|HOSTNAME_MISMATCH)/;
const NETWORK = /^(ECONN|ENOTFOUND|EAI_|EHOST|ENET|EPIPE|EADDR)/;

/** Of a connection that failed, or broke. */
export function socketTrouble(asked: Asked, error: unknown): RabbitError {
  if (error instanceof RabbitError) return error;
  const code = codeOf(error);
  const { whom } = asked;
  if (code === "ETIMEDOUT") return timedOut(asked);
  if (CERTIFICATE.test(code)) {
    return new RabbitError(
      "tls",
      `no TLS with ${whom}: ${code}`,
      "check the scheme, tls_ca, tls_cert, tls_key and their dates",
    );
  }
  if (NETWORK.test(code))
    return new RabbitError("unreachable", `cannot reach ${whom}: ${code}`, unreachableRemedy(asked));
  // Node's parser of HTTP: whatever listens there speaks something else.
  if (code.startsWith("HPE_")) return notJson(asked, `something that is no HTTP (${code})`);
  return new RabbitError("other", `${whom} failed: ${firstLine(error)}`, "see the log of the broker");
}

export const timedOut = ({ whom }: Asked): RabbitError =>
  new RabbitError("timeout", `${whom} does not answer in time`, "is it overloaded, or a firewall silent?");

const unreachableRemedy = ({ isManagement }: Asked): string =>
  isManagement
    ? "does it run (rabbitmq-plugins enable rabbitmq_management), and is management_url right?"
    : "does the broker run, and is queue_connection right?";

/** Of an answer of the management API; `undefined`: it is a good one. */
export function answerTrouble(asked: Asked, { status, type, body }: Answer): RabbitError | undefined {
  const { whom, vhost } = asked;
  const isJson = type.includes("json");
  // A proxy that refuses the user says so in HTML.
  if (!isJson && status !== 401) return notJson(asked, `${type === "" ? "no JSON" : type} (status ${status})`);
  if (status >= 200 && status < 300) return undefined;
  const reason = isJson ? reasonIn(body) : `status ${status}`;
  if (status === 401 && !/virtual host/i.test(reason)) {
    const needs =
      "check user and password; the user needs the tag management (rabbitmqctl set_user_tags USER management)";
    return new RabbitError(
      "unauthorised",
      `${whom} refuses this user: ${reason}`,
      `${needs} and a permission on the vhost`,
    );
  }
  if (status === 401 || status === 403) {
    return new RabbitError("forbidden", `${whom} forbids the vhost "${vhost}": ${reason}`, permissionRemedy(vhost));
  }
  if (status === 404) {
    return new RabbitError(
      "missing-vhost",
      `${whom} knows no vhost "${vhost}"`,
      "check the vhost in queue_connection, and the path of management_url",
    );
  }
  return new RabbitError("other", `${whom} answers ${status}: ${reason}`, "see the log of the broker");
}

export const notJson = ({ whom }: Asked, what: string): RabbitError =>
  new RabbitError(
    "not-json",
    `${whom} answers with ${what}`,
    "is it a proxy, or another server? management_url needs the proxy's path prefix",
  );

export const missingQueue = ({ vhost, queue }: Pick<AskedQueue, "vhost" | "queue">): RabbitError =>
  new RabbitError(
    "missing-queue",
    `there is no queue "${queue}" in vhost "${vhost}"`,
    "declare it, or mend queue_name",
  );

export const isStream = ({ queue }: Pick<AskedQueue, "queue">): RabbitError =>
  new RabbitError(
    "stream",
    `queue "${queue}" is a stream`,
    "its messages stay when they are consumed, so its length says nothing about work; use a classic or quorum queue",
  );

/** Of amqplib, which puts most of what it knows into its messages. */
export function amqpTrouble(asked: AskedQueue, error: unknown): RabbitError {
  if (error instanceof RabbitError) return error;
  const { whom, vhost } = asked;
  const text = firstLine(error);
  if (/ACCESS[-_]REFUSED.*queue/.test(text)) {
    return new RabbitError("forbidden", `${whom} forbids the queue "${asked.queue}"`, permissionRemedy(vhost));
  }
  if (/ACCESS[-_]REFUSED/.test(text)) {
    return new RabbitError(
      "unauthorised",
      `${whom} refuses this user`,
      "check user and password in queue_connection; guest may log in from localhost only",
    );
  }
  if (text.includes("NOT_FOUND")) return missingQueue(asked);
  // The broker says which of both, and amqplib does not pass it on.
  if (text.includes("Expected ConnectionOpenOk")) {
    return new RabbitError(
      "missing-vhost",
      `${whom} does not open the vhost "${vhost}"`,
      `it does not exist, or the user has no permission on it: ${permissionRemedy(vhost)}`,
    );
  }
  if (/closed|abruptly|Channel ended|Unexpected close|CONNECTION[-_]FORCED/i.test(text)) {
    return new RabbitError("unreachable", `${whom} closed the connection`, unreachableRemedy(asked));
  }
  return socketTrouble(asked, error);
}

const permissionRemedy = (vhost: string): string => `rabbitmqctl set_permissions -p '${vhost}' USER '' '' '.*'`;

/** Of two ways of reading that both failed: AMQP speaks for the broker, unless only the management API knows the vhost's trouble. */
export function bothFailed(amqp: RabbitError, management: RabbitError | null): RabbitError {
  if (management === null || amqp.code === "missing-queue") return amqp;
  if (amqp.code === "missing-vhost" && VHOST_TROUBLES.includes(management.code)) return management;
  const remedies = [...new Set([amqp.remedy, management.remedy])];
  return new RabbitError(amqp.code, `${amqp.found}, and ${management.found}`, remedies.join("; "));
}

const VHOST_TROUBLES: readonly RabbitErrorCode[] = ["forbidden", "missing-vhost"];

function firstLine(error: unknown): string {
  return errorText(error).split("\n", 1)[0] ?? "";
}

function reasonIn(body: string): string {
  try {
    const { reason, error } = JSON.parse(body) as { reason?: unknown; error?: unknown };
    const text = typeof reason === "string" ? reason : error;
    return typeof text === "string" ? text.slice(0, LONGEST_REASON) : "no reason given";
  } catch {
    return "no reason given";
  }
}

const LONGEST_REASON = 200;
