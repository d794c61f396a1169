/**
 * The programs that a daemon runs, each from its lock to the end of its last worker. Which they are may change. DESIGN 7.9, 7.15.
 */
import type { Program } from "../config/validate.ts";
import type { ControlLoop } from "../loop/control-loop.ts";
import type { Learned } from "../model/learned.ts";
import type { Clock, OomAccount, Reporter } from "../model/ports.ts";
import { QueueLists } from "../observe/rabbitmq/index.ts";
import type { Board } from "../report/board.ts";
import type { ControlServer } from "./control/server.ts";
import { learnedBefore, learnedKeeper } from "./learning.ts";
import { noteOwner } from "./left-programs.ts";
import {
  boardProgramOf,
  type Leaving,
  learnerOf,
  type OpenProgram,
  type OpenQueue,
  openProgram,
  openQueue,
  poolSettingsOf,
  programOf,
} from "./programs.ts";
import type { Change } from "./reload-plan.ts";

interface Parts {
  readonly stateDir: string;
  /** Path of the configuration. */
  readonly config: string;
  readonly clock: Clock;
  readonly reporter: Reporter;
  readonly board: Board;
  readonly loop: ControlLoop;
  readonly control: ControlServer;
  readonly oomKills: OomAccount;
}

/** Held, and nothing of it runs yet. */
export interface Newcomer {
  readonly program: Program;
  readonly open: OpenProgram;
  /** Its workers drain, for it was told to go a moment ago. */
  readonly wasLeaving: boolean;
}

/** Everything that may go wrong with it has gone well. */
export interface Successor {
  readonly program: Program;
  readonly settings: ReturnType<typeof poolSettingsOf>;
  /** Of another queue; `null`: the one there is. */
  readonly source: OpenQueue | null;
}

export class Fleet {
  readonly #parts: Parts;
  readonly #lists = new QueueLists();
  readonly #programs = new Map<string, OpenProgram>();
  /** Told to go, with workers that still drain. */
  readonly #leaving = new Map<string, Leaving>();
  /** Other processes have them. */
  readonly #lost = new Set<OpenProgram>();
  /** Ends of programs that are no more among these. */
  readonly #ends = new Set<Promise<void>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get names(): readonly string[] {
    return [...this.#programs.keys()];
  }

  /**
   * Takes locks and adopts workers. Of a program that is leaving the workers that drain go on draining.
   *
   * @throws UserError, RabbitError, ProgramLockedError, StateFolderError; then nothing new is held
   */
  open(programs: readonly Program[]): readonly Newcomer[] {
    const { stateDir, clock, reporter, oomKills } = this.#parts;
    const opened: Newcomer[] = [];
    try {
      for (const program of programs) {
        const leaving = this.#leaving.get(program.name);
        const parts = { clock, reporter, oomKills, lists: this.#lists };
        const open = openProgram(program, stateDir, parts, leaving?.pool);
        opened.push({ program, open, wasLeaving: leaving !== undefined });
      }
      return opened;
    } catch (error) {
      this.giveBack(opened);
      throw error;
    }
  }

  /** @throws UserError, RabbitError; nothing has changed yet */
  prepare(changes: readonly Change[]): readonly Successor[] {
    const { clock, reporter } = this.#parts;
    return changes.map(({ program, isOtherQueue }) => ({
      program,
      settings: poolSettingsOf(program),
      source: isOtherQueue ? openQueue(program, { clock, reporter, lists: this.#lists }) : null,
    }));
  }

  /** Workers of an earlier life run on; of a program that was leaving they go on leaving. */
  giveBack(newcomers: readonly Newcomer[], successors: readonly Successor[] = []): void {
    for (const { open, wasLeaving } of newcomers) {
      if (wasLeaving) this.#leave(open);
      else {
        open.pool.close();
        void open.source.close();
      }
    }
    for (const { source } of successors) void source?.close();
  }

  /** All of them at once: each change holds from the next tick of its program on. Resolves when those that are new can be told something. */
  async enter(newcomers: readonly Newcomer[], successors: readonly Successor[] = []): Promise<void> {
    for (const each of successors) this.#change(each);
    await Promise.all(newcomers.map((each) => this.#start(each)));
  }

  /** Its workers drain beside everything else. */
  remove(name: string): void {
    const open = this.#programs.get(name);
    if (open === undefined) return;
    this.#drop(open);
    this.#leave(open);
  }

  /** Of an earlier run, and no program of this configuration: its workers drain as those of a removed one do. */
  drain(left: Leaving): void {
    this.#leave(left);
  }

  /** Another process has it. What its pool does about that it does itself, right after it has told. */
  lose(name: string): void {
    const open = this.#programs.get(name);
    if (open === undefined) return;
    this.#drop(open);
    this.#lost.add(open);
    this.#await(Promise.resolve().then(() => this.#ended(open)));
  }

  /** Lets go of all workers, also of those that drain: they run on, and are the next daemon's. @returns how many they are */
  detach(): number {
    const pools = [...this.#programs.values(), ...this.#leaving.values()].map(({ pool }) => pool);
    const workers = pools.reduce((sum, pool) => sum + pool.snapshot().length, 0);
    for (const pool of pools) pool.close();
    return workers;
  }

  /** Resolves when no worker is left. */
  async shutDown(): Promise<void> {
    await Promise.all([...[...this.#programs.values()].map(({ pool }) => pool.shutdown()), ...this.#ends]);
  }

  kill(): void {
    for (const { pool } of [...this.#programs.values(), ...this.#leaving.values(), ...this.#lost]) pool.killAll();
  }

  /** Connections to the queues. */
  async close(): Promise<void> {
    await Promise.all([...this.#programs.values()].map(({ source }) => source.close()));
  }

  async #start({ program, open }: Newcomer): Promise<void> {
    const { board, loop, control, stateDir } = this.#parts;
    this.#leaving.delete(program.name);
    this.#programs.set(program.name, open);
    board.enter(boardProgramOf(program));
    noteOwner(program, this.#parts);
    const learner = learnerOf(program, stateDir);
    loop.add({ ...open, learned: learnedBefore(learner, this.#parts), keep: this.#keep(program) });
    await control.open(program.name, learner.folder);
  }

  #change({ program, settings, source }: Successor): void {
    const before = this.#programs.get(program.name);
    if (before === undefined) {
      // Another process took it over at this moment.
      void source?.close();
      return;
    }
    const after = programOf(program, source ?? before.source, before.pool);
    before.pool.change(settings);
    noteOwner(program, this.#parts);
    this.#programs.set(program.name, after);
    this.#parts.board.enter(boardProgramOf(program));
    const changed = this.#parts.loop.change({ ...after, keep: this.#keep(program) });
    this.#await(source === null ? changed : changed.then(() => before.source.close()));
  }

  /** As long as the folder is ours. */
  #keep(program: Program): (learned: Learned) => void {
    const keep = learnedKeeper(learnerOf(program, this.#parts.stateDir), this.#parts);
    return (learned) => {
      if (this.#programs.has(program.name)) keep(learned);
    };
  }

  #drop({ program }: OpenProgram): void {
    this.#programs.delete(program);
    this.#parts.loop.drop(program);
    void this.#parts.control.close(program);
  }

  #leave(open: Leaving): void {
    const { program } = open;
    this.#leaving.set(program, open);
    this.#await(
      this.#ended(open).finally(() => {
        if (this.#leaving.get(program) !== open) return;
        this.#leaving.delete(program);
        this.#parts.board.leave(program);
      }),
    );
  }

  async #ended({ pool, source }: Leaving): Promise<void> {
    await pool.shutdown();
    await source.close();
  }

  #await(end: Promise<void>): void {
    this.#ends.add(end);
    void end.finally(() => this.#ends.delete(end));
  }
}
