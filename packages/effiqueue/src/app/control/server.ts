/**
 * How a running daemon is told what to do: one socket in the state folder of each program, all of them the same daemon. They belong to the
 * locks, so two daemons that share a state_dir do not share one. DESIGN 7.12.
 */
import { errorText } from "../../model/errors.ts";
import type { Reporter } from "../../model/ports.ts";
import { Clients } from "../../report/http/clients.ts";
import { type Control, openControlRoutes } from "../../report/http/control.ts";
import { openRoutes, type Served } from "../../report/http/routes.ts";
import { listenIn, type OpenSocket } from "./socket.ts";

export interface ControlOptions extends Served, Control {
  readonly reporter: Reporter;
}

export class ControlServer {
  readonly #clients: Clients;
  readonly #reporter: Reporter;
  readonly #sockets = new Map<string, OpenSocket>();

  constructor(options: ControlOptions) {
    const routes = openControlRoutes(options, openRoutes(options, { hosts: [], token: undefined }));
    this.#clients = new Clients(options.board, routes);
    this.#reporter = options.reporter;
  }

  /** Of a program whose lock is held. Never rejects: a daemon that cannot be told anything runs on, and says so. */
  async open(program: string, folder: string): Promise<void> {
    try {
      this.#sockets.set(program, await listenIn(folder, this.#clients.server()));
    } catch (error) {
      this.#reporter.emit("app.control.unavailable", { program, error: errorText(error) });
    }
  }

  /** Harmless for a program that has none. */
  async close(program: string): Promise<void> {
    const socket = this.#sockets.get(program);
    this.#sockets.delete(program);
    await socket?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sockets.keys()].map((program) => this.close(program)));
  }
}
