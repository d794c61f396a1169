/**
 * Who follows the status as it changes (server-sent events). All get the same text, made once. A viewer that has not taken the last
 * one yet gets none until it has: it costs no more than one, however slowly it reads. DESIGN 6.6.
 */
import type { ServerResponse } from "node:http";
import type { Board } from "../board.ts";

export interface ViewersOptions {
  /** Silence that a client may take for the end of the daemon; a line without a meaning breaks it. */
  readonly heartbeatMs: number;
  /** Most at a time. Default: 20. */
  readonly most?: number;
}

const MOST_VIEWERS = 20;

/** Ticks of several programs, or exits that wake one, often come together. */
const LEAST_MS = 250;

const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-store",
  // Proxies such as nginx would keep it until a buffer is full.
  "X-Accel-Buffering": "no",
};

export class Viewers {
  readonly #board: Board;
  readonly #options: Required<ViewersOptions>;
  readonly #open = new Set<ServerResponse>();
  #heart: NodeJS.Timeout | undefined;
  #due: NodeJS.Timeout | undefined;

  constructor(board: Board, { heartbeatMs, most = MOST_VIEWERS }: ViewersOptions) {
    this.#board = board;
    this.#options = { heartbeatMs, most };
    board.onChange(() => this.#changed());
  }

  get isFull(): boolean {
    return this.#open.size >= this.#options.most;
  }

  /** @param headers beside those of the stream */
  add(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
    response.writeHead(200, { ...headers, ...HEADERS });
    this.#open.add(response);
    response.once("close", () => this.#remove(response));
    response.write(this.#news());
    this.#heart ??= setInterval(() => this.#tell(":\n\n"), this.#options.heartbeatMs).unref();
  }

  #remove(response: ServerResponse): void {
    this.#open.delete(response);
    if (this.#open.size > 0) return;
    clearInterval(this.#heart);
    clearTimeout(this.#due);
    this.#heart = this.#due = undefined;
  }

  /** In a turn of its own: who looks on is no part of a tick. */
  #changed(): void {
    if (this.#open.size === 0) return;
    this.#due ??= setTimeout(() => {
      this.#due = undefined;
      this.#tell(this.#news());
    }, LEAST_MS).unref();
  }

  #news(): string {
    return `event: status\ndata: ${JSON.stringify(this.#board.status())}\n\n`;
  }

  #tell(text: string): void {
    for (const response of this.#open) if (response.writableLength === 0) response.write(text);
  }
}
