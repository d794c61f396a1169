/**
 * The status endpoint: bound before any worker exists, so that an address that cannot be had ends the start and not the night.
 * Clients that are slow, silent or many cost it little. DESIGN 6.5, 6.6.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { parseAddress } from "../../model/kinds.ts";
import type { Page } from "../dashboard/page.ts";
import { ListenError, listenError } from "./errors.ts";
import { FOLLOW, failed, openRoutes, type Reply, type Served } from "./routes.ts";
import { Viewers } from "./viewers.ts";

export interface ServeOptions extends Served {
  /** `HOST:PORT`, `[::1]:PORT`, or `:PORT` for every interface; port 0 takes any free one. */
  readonly address: string;
  /** Names that browsers may ask it by, beside those of loopback, addresses, and the host of `address`. */
  readonly hosts?: readonly string[] | undefined;
  /** Wanted as `Authorization: Bearer` for everything that has figures. Default: nobody is asked. */
  readonly token?: string | undefined;
  /** The dashboard. Default: the one that the build left in this package. */
  readonly page?: Page;
  /** What a client has to send its request, and to take each part of the answer. Default: 10 s. */
  readonly slowClientMs?: number;
}

export interface StatusServer {
  /** Where it listens, with the port that it got. */
  readonly address: string;
  /** Ends at once, open connections and all. Harmless twice. */
  close(): Promise<void>;
}

const SLOW_CLIENT_MS = 10_000;

/** A scraper, a page and a few people; the daemon needs its file descriptors for other things. */
const MOST_CONNECTIONS = 100;
const MOST_HEADER_BYTES = 8_192;

/** What has been answered and not been taken yet, by all clients together. */
const MOST_UNTAKEN_BYTES = 16 * 1024 * 1024;

/** On every answer: another site may neither embed nor guess at it. */
const ALWAYS = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** @throws ListenError naming the address and the remedy */
export async function serveStatus(options: ServeOptions): Promise<StatusServer> {
  const { address, hosts = [], token, slowClientMs = SLOW_CLIENT_MS } = options;
  const parsed = parseAddress(address);
  if (parsed === undefined) {
    throw new ListenError(address, 'expected HOST:PORT such as "127.0.0.1:9464", "[::1]:9464", or ":9464"');
  }
  const limits = {
    headersTimeout: slowClientMs,
    requestTimeout: slowClientMs,
    keepAliveTimeout: slowClientMs,
    // Node looks for slow ones no more often than this.
    connectionsCheckingInterval: slowClientMs / 2,
    maxHeaderSize: MOST_HEADER_BYTES,
  };
  const routes = openRoutes(options, { hosts: [parsed.host, ...hosts], token }, options.page);
  const viewers = new Viewers(options.board, { heartbeatMs: slowClientMs / 2 });
  const counter = new Counter(routes, viewers);
  const server = createServer(limits, (request, response) => void counter.serve(request, response));
  server.maxConnections = MOST_CONNECTIONS;
  // Who does not read the answer is idle as well.
  server.setTimeout(slowClientMs);
  await listening(server, parsed, address);
  // A connection that fails is its client's concern; without a listener it would be the daemon's end.
  server.on("error", () => undefined);
  return { address: shown(server.address() as AddressInfo), close: () => closed(server) };
}

/** Serves one after the other, and sees to it that nobody piles up answers. */
class Counter {
  readonly #routes: ReturnType<typeof openRoutes>;
  readonly #viewers: Viewers;
  readonly #waiting = new WeakSet<Socket>();
  #untakenBytes = 0;

  constructor(routes: ReturnType<typeof openRoutes>, viewers: Viewers) {
    this.#routes = routes;
    this.#viewers = viewers;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method = "", url: target = "", headers } = request;
    if (this.#waiting.has(socket)) {
      // No client of today sends a request before it has the answer to the last; a thousand of them would be a thousand answers to keep.
      socket.destroy();
      return;
    }
    this.#waiting.add(socket);
    response.once("close", () => this.#waiting.delete(socket));
    const answer = await this.#routes({ method, target, headers });
    if (answer !== FOLLOW) this.#send(response, answer);
    else if (method === "HEAD") this.#send(response, { status: 200, contentType: "text/event-stream", body: "" });
    else if (this.#viewers.isFull) this.#send(response, TOO_MANY);
    else this.#viewers.add(response, ALWAYS);
  }

  #send(response: ServerResponse, reply: Reply): void {
    const isTooMuch = this.#untakenBytes + Buffer.byteLength(reply.body) > MOST_UNTAKEN_BYTES;
    const { status, contentType, body, headers } = isTooMuch ? BUSY : reply;
    const bytes = Buffer.byteLength(body);
    this.#untakenBytes += bytes;
    response.once("close", () => {
      this.#untakenBytes -= bytes;
    });
    response.writeHead(status, { "Content-Type": contentType, "Content-Length": bytes, ...ALWAYS, ...headers });
    response.end(body);
  }
}

const TOO_MANY = failed(503, "too many follow already; ask /api/status now and then");
const BUSY = failed(503, "others have not taken their answers yet; ask again");

function listening(server: Server, { host, port }: { host: string; port: number }, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(listenError(address, error));
    server.once("error", failed);
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      server.off("error", failed);
      resolve();
    });
  });
}

const shown = ({ address, family, port }: AddressInfo): string =>
  family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // An error says that it was closed before.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
