/**
 * Asks a running daemon: a client of its endpoint, so that the daemon knows nothing of those who watch it, and can be watched from
 * elsewhere; or of its control socket, which answers the same. DESIGN 7.9, 6.5, 7.12.
 */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { join } from "node:path";
import { redact } from "../model/redact.ts";
import type { DecisionsReply, HistoryReply, StatusReply } from "../report/api-types.ts";
import type { AboutReply, CommandReplies } from "./control/replies.ts";
import { SOCKET_NAME, shortPath } from "./control/socket.ts";

const TIMEOUT_MS = 5_000;

/** A command may have to wait for queues that do not answer, which takes as long as a look at them. */
const COMMAND_TIMEOUT_MS = 20_000;

/** More than any daemon says: what is longer is not one. */
const LONGEST_REPLY = 16 * 1024 * 1024;

/** Of a daemon. */
export interface Endpoint {
  /** `http://HOST:PORT` */
  readonly base: string;
  /** Of `metrics_token_file`, where the daemon wants one. */
  readonly token?: string | undefined;
  /** The control socket in this folder, in place of the host and port of `base`. */
  readonly socketIn?: string | undefined;
}

/** What is behind each path; the last one only by a control socket. */
interface Replies {
  readonly "/api/status": StatusReply;
  readonly "/api/decisions": DecisionsReply;
  readonly "/api/history": HistoryReply;
  readonly "/control": AboutReply;
}

/** Of what goes by a socket: there is no name to be known by. */
export const SOCKET_BASE = "http://localhost";

/** The daemon gave no answer that can be used; the message names the address and the remedy. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code = "failed";

  constructor(endpoint: Endpoint, why: string, options?: ErrorOptions) {
    super(`${nameOf(endpoint)}: ${why}`, options);
  }
}

/** The daemon was reached and says no, and why. */
class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code = "failed";
}

const nameOf = ({ base, socketIn }: Endpoint): string =>
  socketIn === undefined ? redact(new URL(base).origin) : join(socketIn, SOCKET_NAME);

/** `http://HOST:PORT` where a daemon with this `metrics_addr` can be asked from its own machine. */
export function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const isEverywhere = host === "" || host === "0.0.0.0" || host === "::";
  const name = isEverywhere ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/**
 * The JSON behind a path of the endpoint, taken for what a daemon of this version says.
 *
 * @param query behind the path, from its question mark on
 * @throws StatusError
 */
export const ask = <Path extends keyof Replies>(endpoint: Endpoint, path: Path, query = ""): Promise<Replies[Path]> =>
  jsonOf(endpoint, `${path}${query}`) as Promise<Replies[Path]>;

/**
 * Gives a command over the control socket, and returns what it answers.
 *
 * @throws StatusError
 */
export const tell = <Name extends keyof CommandReplies>(
  endpoint: Endpoint,
  command: Name,
  args: object,
): Promise<CommandReplies[Name]> =>
  jsonOf(endpoint, `/control/${command}`, JSON.stringify(args)) as Promise<CommandReplies[Name]>;

/**
 * The text behind a path of the endpoint.
 *
 * @throws StatusError
 */
export async function askText(endpoint: Endpoint, path: string): Promise<string> {
  const { status, body } = await fetched(endpoint, path);
  if (status !== 200) throw new StatusError(endpoint, `answers ${status} to ${pathOf(path)}`);
  return body;
}

async function jsonOf(endpoint: Endpoint, path: string, args?: string): Promise<unknown> {
  const { status, body } = await fetched(endpoint, path, args);
  let reply: unknown;
  try {
    reply = JSON.parse(body);
  } catch {
    throw new StatusError(
      endpoint,
      `answers ${status} and no JSON to ${pathOf(path)}; is it effiqueue's metrics_addr?`,
    );
  }
  if (status === 200) return reply;
  const said = typeof reply === "object" && reply !== null && "error" in reply ? reply.error : undefined;
  if (status === 409 && typeof said === "string") throw new RefusedError(said);
  throw new StatusError(endpoint, typeof said === "string" ? said : `answers ${status} to ${pathOf(path)}`);
}

const pathOf = (target: string): string => target.replace(/\?.*/s, "");

/** @param body of a POST; without it a GET */
async function fetched(
  endpoint: Endpoint,
  path: string,
  body?: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const { socketIn } = endpoint;
  if (socketIn === undefined) return exchanged(endpoint, path, body);
  const short = shortPath(socketIn, SOCKET_NAME);
  try {
    return await exchanged(endpoint, path, body, short.path);
  } finally {
    short.free();
  }
}

function exchanged(
  endpoint: Endpoint,
  path: string,
  sent?: string,
  socketPath?: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const { base, token } = endpoint;
  const url = new URL(path, base);
  const timeoutMs = sent === undefined ? TIMEOUT_MS : COMMAND_TIMEOUT_MS;
  const start = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => reject(new StatusError(endpoint, why, { cause }));
    const options = {
      agent: false,
      method: sent === undefined ? "GET" : "POST",
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(timeoutMs),
      ...(socketPath === undefined ? {} : { socketPath }),
    };
    const request = start(url, options, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        body += chunk;
        if (body.length > LONGEST_REPLY) request.destroy(new Error("the answer is too long"));
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      response.on("error", (cause) => fail("the answer broke off", cause));
    });
    request.on("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "ECONNREFUSED")
        fail("nobody listens there; does the daemon run, with this metrics_addr?", cause);
      else if (cause.name === "AbortError" || cause.name === "TimeoutError")
        fail(`no answer within ${timeoutMs / 1000} s`);
      else fail("cannot be asked", cause);
    });
    request.end(sent);
  });
}
