/**
 * Connections that are read a piece at a time. Node's parser makes a request of everything in the 64 KB that a client may have sent
 * at once before it looks whether the connection still stands: 1,700 requests, and 3 MB, of one that is cut off at its second.
 * DESIGN 6.6.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** Holds what a scraper sends with one request, and most of what a browser does. */
const PIECE_BYTES = 1_024;

/** Puts a `Connection` before each socket that the server takes from now on. */
export function readInPieces(server: Server): void {
  const takers = server.listeners("connection");
  server.removeAllListeners("connection");
  server.on("connection", (socket) => {
    const connection = new Connection(socket);
    for (const take of takers) Reflect.apply(take, server, [connection]);
  });
}

/** Has what an HTTP server asks of a socket. */
class Connection extends Duplex {
  readonly #socket: Socket;
  #isWanted = false;

  constructor(socket: Socket) {
    super({ readableHighWaterMark: PIECE_BYTES });
    this.#socket = socket;
    socket.on("readable", () => this.#readOn());
    socket.once("end", () => this.push(null));
    socket.on("timeout", () => this.emit("timeout"));
    // Whoever is gone cannot be told of it.
    socket.on("error", () => this.destroy());
    socket.once("close", () => this.destroy());
  }

  override _read(): void {
    this.#isWanted = true;
    this.#readOn();
  }

  #readOn(): void {
    if (!this.#isWanted) return;
    const there = this.#socket.readableLength;
    // Of an empty buffer nothing comes but the news of its end.
    const piece: unknown = there === 0 ? this.#socket.read() : this.#socket.read(Math.min(there, PIECE_BYTES));
    if (piece === null) return;
    this.#isWanted = false;
    this.push(piece);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }

  setTimeout(ms: number): this {
    this.#socket.setTimeout(ms);
    return this;
  }

  /** Once what was written has been taken. */
  destroySoon(): void {
    this.end(() => this.destroy());
  }
}
