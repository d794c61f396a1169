/**
 * Asks a running daemon: a client of its endpoint, so that the daemon knows nothing of those who watch it, and can be watched from
 * elsewhere. DESIGN 7.9, 6.5.
 */
import { get as getHttp } from "node:http";
import { get as getHttps } from "node:https";
import { redact } from "../model/redact.ts";

const TIMEOUT_MS = 5_000;

/** More than any daemon says: what is longer is not one. */
const LONGEST_REPLY = 16 * 1024 * 1024;

/** Of a daemon. */
export interface Endpoint {
  /** `http://HOST:PORT` */
  readonly base: string;
  /** Of `metrics_token_file`, where the daemon wants one. */
  readonly token?: string | undefined;
}

/** The daemon gave no answer that can be used; the message names the address and the remedy. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code = "failed";

  constructor(url: URL, why: string, options?: ErrorOptions) {
    super(`${redact(url.origin)}: ${why}`, options);
  }
}

/** `http://HOST:PORT` where a daemon with this `metrics_addr` can be asked from its own machine. */
export function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const isEverywhere = host === "" || host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/**
 * The JSON behind a path of the endpoint.
 *
 * @throws StatusError
 */
export async function ask({ base, token }: Endpoint, path: string): Promise<unknown> {
  const url = new URL(path, base);
  const { status, body } = await fetched(url, token);
  let reply: unknown;
  try {
    reply = JSON.parse(body);
  } catch {
    throw new StatusError(url, `answers ${status} and no JSON to ${url.pathname}; is it effiqueue's metrics_addr?`);
  }
  if (status === 200) return reply;
  const said = typeof reply === "object" && reply !== null && "error" in reply ? reply.error : undefined;
  throw new StatusError(url, typeof said === "string" ? said : `answers ${status} to ${url.pathname}`);
}

/**
 * The text behind a path of the endpoint.
 *
 * @throws StatusError
 */
export async function askText({ base, token }: Endpoint, path: string): Promise<string> {
  const url = new URL(path, base);
  const { status, body } = await fetched(url, token);
  if (status !== 200) throw new StatusError(url, `answers ${status} to ${url.pathname}`);
  return body;
}

function fetched(url: URL, token: string | undefined): Promise<{ readonly status: number; readonly body: string }> {
  const get = url.protocol === "https:" ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => reject(new StatusError(url, why, { cause }));
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(url, { agent: false, headers, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
        if (body.length > LONGEST_REPLY) request.destroy(new Error("the answer is too long"));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", (cause) => fail("the answer broke off", cause));
    });
    request.on("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "ECONNREFUSED") fail("nobody listens there; does the daemon run, with this metrics_addr?");
      else if (cause.name === "AbortError" || cause.name === "TimeoutError")
        fail(`no answer within ${TIMEOUT_MS / 1000} s`);
      else fail("cannot be asked", cause);
    });
  });
}
