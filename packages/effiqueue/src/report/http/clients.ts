/**
 * An HTTP server for clients that are slow, silent or many: they cost the daemon little, whatever they do. DESIGN 6.6.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Board } from "../board.ts";
import { bodyOf } from "./body.ts";
import { readInPieces } from "./connection.ts";
import { type Answer, type Asked, FOLLOW, failed, type Reply } from "./routes.ts";
import { Viewers } from "./viewers.ts";

/** What a client has to send its request, and to take each part of the answer. */
const SLOW_CLIENT_MS = 10_000;

/** What ends has answered already; nobody who follows may hold it up. */
const ANSWERED_WITHIN_MS = 1_000;

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

/** Whatever is asked comes to `answer`, which never rejects. */
export class Clients {
  readonly #answer: (asked: Asked) => Promise<Answer>;
  readonly #slowClientMs: number;
  readonly #viewers: Viewers;
  readonly #waiting = new WeakSet<Socket>();
  #untakenBytes = 0;

  constructor(board: Board, answer: (asked: Asked) => Promise<Answer>, slowClientMs = SLOW_CLIENT_MS) {
    this.#answer = answer;
    this.#slowClientMs = slowClientMs;
    this.#viewers = new Viewers(board, { heartbeatMs: slowClientMs / 2 });
  }

  /** A server for them that listens nowhere yet. */
  server(): Server {
    const limits = {
      headersTimeout: this.#slowClientMs,
      requestTimeout: this.#slowClientMs,
      keepAliveTimeout: this.#slowClientMs,
      // Node looks for slow ones no more often than this.
      connectionsCheckingInterval: this.#slowClientMs / 2,
      maxHeaderSize: MOST_HEADER_BYTES,
    };
    const server = createServer(limits, (request, response) => void this.#serve(request, response));
    readInPieces(server);
    server.maxConnections = MOST_CONNECTIONS;
    // Who does not read the answer is idle as well.
    server.setTimeout(this.#slowClientMs);
    return server;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { socket, method = "", url: target = "", headers } = request;
    if (this.#waiting.has(socket)) {
      // No client of today sends a request before it has the answer to the last; a thousand of them would be a thousand answers to keep.
      socket.destroy();
      return;
    }
    this.#waiting.add(socket);
    response.once("close", () => this.#waiting.delete(socket));
    const answer = await this.#answer({ method, target, headers, body: () => bodyOf(request) });
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

/** Ends when those who wait have their answers, or had time to take them. */
export function closedWhenAnswered(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), ANSWERED_WITHIN_MS);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
  });
}

/** Ends at once, open connections and all. Harmless twice. */
export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // An error says that it was closed before.
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
