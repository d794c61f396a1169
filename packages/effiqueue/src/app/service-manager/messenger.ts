/**
 * Brings messages to systemd, by the command that comes with it: Node has no datagram sockets (decision 0010). One process at a
 * time; what can wait waits for the next. DESIGN 7.17.
 */
import { execFile } from "node:child_process";
import { errorText } from "../../model/errors.ts";
import type { Reporter } from "../../model/ports.ts";

/** `READY`, `STATUS`, `WATCHDOG` ... */
export type Message = Readonly<Record<string, string>>;

/** Longer than systemd takes to confirm; beyond that it is not there. */
const TIMEOUT_MS = 5_000;

/** They change what the unit is, in an order that counts; the others say how it is, and the latest word is enough. */
const isTurn = (message: Message): boolean =>
  Object.keys(message).some((name) => !["STATUS", "WATCHDOG"].includes(name));

export class Messenger {
  readonly #socket: string;
  readonly #reporter: Reporter;
  readonly #waiting: Message[] = [];
  #sending: Promise<void> | null = null;
  /** The last one failed, and that was said. */
  #isUnreachable = false;

  constructor(socket: string, reporter: Reporter) {
    this.#socket = socket;
    this.#reporter = reporter;
  }

  send(message: Message): void {
    const last = this.#waiting.at(-1);
    if (last === undefined || isTurn(last) || isTurn(message)) this.#waiting.push(message);
    else this.#waiting[this.#waiting.length - 1] = { ...last, ...message };
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  /** Resolves when everything has been sent, or could not be. */
  async settled(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#tell(await this.#deliver(next));
    }
  }

  /** @returns what went wrong, if anything did */
  #deliver(message: Message): Promise<string | null> {
    const assignments = Object.entries(message).map(([name, value]) => `${name}=${value}`);
    const options = { env: { ...process.env, NOTIFY_SOCKET: this.#socket }, timeout: TIMEOUT_MS };
    return new Promise((resolve) => {
      execFile("systemd-notify", assignments, options, (error, _, stderr) => {
        // What the command says is shorter than how it was called.
        resolve(error === null ? null : stderr.trim() || errorText(error));
      });
    });
  }

  #tell(trouble: string | null): void {
    if (trouble !== null && !this.#isUnreachable) this.#reporter.emit("app.service.unreachable", { error: trouble });
    this.#isUnreachable = trouble !== null;
  }
}
