/**
 * The status endpoint: bound before any worker exists, so that an address that cannot be had ends the start and not the night.
 * Clients that are slow, silent or many cost it little. DESIGN 6.5.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseAddress } from "../../model/kinds.ts";
import { ListenError, listenError } from "./errors.ts";
import { replyTo, type Served } from "./routes.ts";

export interface ServeOptions extends Served {
  /** `HOST:PORT`, `[::1]:PORT`, or `:PORT` for every interface; port 0 takes any free one. */
  readonly address: string;
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

/** @throws ListenError naming the address and the remedy */
export async function serveStatus(options: ServeOptions): Promise<StatusServer> {
  const { address, slowClientMs = SLOW_CLIENT_MS } = options;
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
  const server = createServer(limits, (request, response) => void answer(options, request, response));
  server.maxConnections = MOST_CONNECTIONS;
  // Who does not read the answer is idle as well.
  server.setTimeout(slowClientMs);
  await listening(server, parsed, address);
  // A connection that fails is its client's concern; without a listener it would be the daemon's end.
  server.on("error", () => undefined);
  return { address: shown(server.address() as AddressInfo), close: () => closed(server) };
}

async function answer(served: Served, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, contentType, body, headers } = await replyTo(served, request.method ?? "", request.url ?? "");
  response.writeHead(status, {
    "Content-Type": contentType,
    "Content-Length": Buffer.byteLength(body),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    ...headers,
  });
  response.end(body);
}

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
