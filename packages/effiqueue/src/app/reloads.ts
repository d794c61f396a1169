/**
 * Reading the configuration again: it is checked as a whole, down to locks and queues, before anything is changed, and then changes all at
 * once. One at a time. DESIGN 7.15.
 */
import { findingText } from "../config/errors.ts";
import type { Config } from "../config/validate.ts";
import type { ControlLoop } from "../loop/control-loop.ts";
import { OneAtATime } from "../loop/one-at-a-time.ts";
import { errorText } from "../model/errors.ts";
import type { Clock, Reporter } from "../model/ports.ts";
import type { Redactor } from "../model/redact.ts";
import { budgetOf } from "./budget.ts";
import { type Looked, looked } from "./first-look.ts";
import type { Fleet, Successor } from "./fleet.ts";
import { planOf, type ReloadPlan } from "./reload-plan.ts";

/** Programs by name. */
export interface Reloaded extends Pick<ReloadPlan, "removed" | "unchanged"> {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  /** What is allowed and hardly meant, and what takes a restart. */
  readonly warnings: readonly string[];
}

interface Parts {
  readonly fleet: Fleet;
  readonly loop: ControlLoop;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly redactor: Redactor;
  /** @throws ConfigError and whatever else is wrong with it */
  readonly readConfig: () => Config;
  /** Not before the daemon has started, nor since it stops. */
  readonly isUp: () => boolean;
}

export class Reloads {
  readonly #parts: Parts;
  #config: Config;
  readonly #turns = new OneAtATime(() => this.#reload());

  /** @param config that runs */
  constructor(config: Config, parts: Parts) {
    this.#config = config;
    this.#parts = parts;
  }

  /** Whoever asks while one is under way means the file as it is then: one more follows, for all of them. Rejects with what is wrong. */
  run(): Promise<Reloaded> {
    return this.#turns.run();
  }

  /** Resolves when none is under way. */
  settled(): Promise<void> {
    return this.#turns.settled();
  }

  async #reload(): Promise<Reloaded> {
    const { clock, reporter } = this.#parts;
    const since = clock.monotonicMs();
    const config = this.#config.file;
    reporter.emit("app.config.reloading", { config });
    try {
      const done = await this.#carryOut(this.#parts.readConfig());
      for (const text of done.warnings) reporter.emit("app.config.warned", { text });
      const { added, changed, removed, unchanged } = done;
      reporter.emit("app.config.reloaded", {
        config,
        added: added.join(", "),
        changed: changed.join(", "),
        removed: removed.join(", "),
        unchanged: unchanged.join(", "),
        took_ms: Math.round(clock.monotonicMs() - since),
      });
      return done;
    } catch (error) {
      reporter.emit("app.config.refused", { config, error: errorText(error).replaceAll("\n", "; ") });
      throw error;
    }
  }

  async #carryOut(next: Config): Promise<Reloaded> {
    const { fleet, loop, redactor } = this.#parts;
    redactor.learn(next.secrets);
    const running = new Set(fleet.names);
    const before = this.#config.programs.filter(({ name }) => running.has(name));
    const plan = planOf({ ...this.#config, programs: before }, next);
    const { newcomers, successors } = await this.#prepared(plan);

    // Nothing can fail from here on, and nothing happens in between. Who comes is there before others go, so that the loop never ends.
    this.#config = plan.config;
    loop.share(budgetOf(next));
    const entered = fleet.enter(newcomers, successors);
    for (const name of plan.removed) fleet.remove(name);
    await entered;
    return {
      added: plan.added.map(({ name }) => name),
      changed: plan.changed.map(({ program }) => program.name),
      removed: plan.removed,
      unchanged: plan.unchanged,
      warnings: [...next.warnings.map(findingText), ...plan.fixed.map((key) => fixedText(next.file, key))],
    };
  }

  /** Everything that may be refused; whatever is, what was taken is given back. */
  async #prepared({ added, changed, config }: ReloadPlan): Promise<Looked> {
    const { fleet, isUp } = this.#parts;
    const newcomers = fleet.open(added);
    let successors: readonly Successor[] = [];
    try {
      successors = fleet.prepare(changed);
      const ready = await looked(config.file, newcomers, successors);
      if (!isUp()) throw new Error("the daemon stops");
      return ready;
    } catch (error) {
      fleet.giveBack(newcomers, successors);
      throw error;
    }
  }
}

const fixedText = (file: string, key: string): string =>
  `${file}: ${key}: its new value takes a restart; with effiqueue detach no worker is stopped for it`;
