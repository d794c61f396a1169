/**
 * What the screen knows of the daemon: asked for every second, kept while it does not answer. The figures and the decisions are asked for
 * only when a tick has ended since, for nothing else changes them. DESIGN 6.8.
 */
import { errorText } from "../../model/errors.ts";
import type { DecisionsReply, StatusReply } from "../../report/api-types.ts";
import { parseExposition } from "../../report/metrics/parse.ts";
import { type Figures, figuresOf } from "../../report/top/figures.ts";
import { type History, pastOf, remembered } from "../../report/top/history.ts";
import type { Moment } from "../../report/top/session.ts";
import { type ProgramView, programView } from "../../report/top/view.ts";
import { ask, askText, type Endpoint, StatusError } from "../status-client.ts";

/** As many as the largest screen has room for. */
const DECISIONS = 50;

/** So long it is worth a word that the daemon is another one. */
const NEWLY_STARTED_SEC = 60;

/** What goes with the last tick of every program. */
interface AtTick {
  /** Which ticks they are. */
  readonly ticks: string;
  readonly figures: ReadonlyMap<string, Figures>;
  readonly decisions: DecisionsReply;
}

interface Known {
  readonly status: StatusReply;
  readonly views: readonly ProgramView[];
}

export class Feed {
  readonly #endpoint: Endpoint;
  readonly #origin: string;
  #known: Known | undefined;
  #atTick: AtTick | undefined;
  #history: History = new Map();
  #firstStartedAt: string | undefined;
  #trouble: { readonly message: string; readonly sinceMs: number } | undefined;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    this.#origin = endpoint.socketIn ?? new URL(endpoint.base).host;
  }

  /**
   * Asks once.
   *
   * @throws StatusError
   */
  async look(): Promise<Known> {
    try {
      const known = await this.#looked();
      this.#trouble = undefined;
      return known;
    } catch (error) {
      const message = errorText(error);
      this.#trouble = { message, sinceMs: this.#trouble?.sinceMs ?? performance.now() };
      throw error;
    }
  }

  get moment(): Moment {
    const status = this.#known?.status;
    const isAnother = status !== undefined && status.startedAt !== this.#firstStartedAt;
    return {
      origin: this.#origin,
      now: status?.now ?? null,
      views: this.#known?.views ?? [],
      history: this.#history,
      trouble:
        this.#trouble === undefined
          ? null
          : { message: this.#trouble.message, forSec: (performance.now() - this.#trouble.sinceMs) / 1000 },
      restartedAt: isAnother && status.uptimeSec < NEWLY_STARTED_SEC ? status.startedAt : null,
    };
  }

  async #looked(): Promise<Known> {
    const status = await ask(this.#endpoint, "/api/status");
    try {
      assertVersion(status, this.#endpoint);
      const atTick = await this.#tickOf(status);
      const decisionsOf = new Map(atTick.decisions.programs.map((each) => [each.program, each.decisions]));
      const views = status.programs.map((program) =>
        programView(program, decisionsOf.get(program.program) ?? [], atTick.figures.get(program.program), status),
      );
      this.#known = { status, views };
      this.#history = remembered(await this.#withPast(views), views);
      this.#firstStartedAt ??= status.startedAt;
      return this.#known;
    } catch (cause) {
      if (cause instanceof StatusError) throw cause;
      throw new StatusError(this.#endpoint, "answers what no effiqueue of this version does", { cause });
    }
  }

  /** Of programs that are seen for the first time, what the daemon remembers; one that remembers nothing begins now. */
  async #withPast(views: readonly ProgramView[]): Promise<History> {
    const history = new Map(this.#history);
    for (const { program } of views) {
      if (history.has(program)) continue;
      const query = `?program=${encodeURIComponent(program)}`;
      const reply = await ask(this.#endpoint, "/api/history", query).catch(() => undefined);
      history.set(program, reply === undefined ? [] : pastOf(reply));
    }
    return history;
  }

  async #tickOf(status: StatusReply): Promise<AtTick> {
    const ticks = JSON.stringify([status.startedAt, status.programs.map((each) => [each.lastTickAt, each.state])]);
    if (this.#atTick?.ticks === ticks) return this.#atTick;
    const [exposition, decisions] = await Promise.all([
      askText(this.#endpoint, "/metrics"),
      ask(this.#endpoint, "/api/decisions", `?limit=${DECISIONS}`),
    ]);
    this.#atTick = { ticks, figures: figuresOf(parseExposition(exposition)), decisions };
    return this.#atTick;
  }
}

function assertVersion(status: StatusReply, endpoint: Endpoint): void {
  const version: unknown = status.apiVersion;
  if (version !== 1) {
    throw new StatusError(endpoint, `answers in version ${JSON.stringify(version)}, and this is version 1`);
  }
}
