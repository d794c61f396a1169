/** The floor and ceiling of one program as time goes by, and its schedules as events. DESIGN 5.5. */
import type { ProgramLimits, Reporter } from "../model/ports.ts";
import { type ActiveSpan, type Limits, limitsIn } from "../model/schedule.ts";
import type { WallMs } from "../units.ts";
import type { ProgramOptions } from "./program-options.ts";

export class Timetable {
  #options: ProgramOptions;
  readonly #reporter: Reporter;
  #spans: readonly ActiveSpan[] = [];

  constructor(options: ProgramOptions, reporter: Reporter) {
    this.#options = options;
    this.#reporter = reporter;
  }

  /** Schedules that held at the last look. */
  get spans(): readonly ActiveSpan[] {
    return this.#spans;
  }

  /** What they make of the program's own limits; `undefined`: nothing. */
  get scheduled(): Limits | undefined {
    const { limits } = this.#options;
    return limits === undefined || this.#spans.length === 0 ? undefined : limitsIn(limits, this.#spans);
  }

  /** What holds; `undefined`: a policy of its own has limits that nobody knows. */
  get limits(): ProgramLimits | undefined {
    return this.scheduled ?? this.#options.limits;
  }

  change(options: ProgramOptions): void {
    this.#options = options;
  }

  look(now: WallMs): void {
    const before = this.#spans;
    this.#spans = this.#options.calendar?.at(now) ?? [];
    for (const { name } of before) if (!holds(this.#spans, name)) this.#ended(name);
    for (const span of this.#spans) if (!holds(before, span.name)) this.#started(span);
  }

  #started({ name: schedule, minWorkers, maxWorkers, until }: ActiveSpan): void {
    this.#reporter.emit("loop.schedule.started", {
      program: this.#options.program,
      schedule,
      min_workers: minWorkers ?? null,
      max_workers: maxWorkers ?? null,
      until: new Date(until).toISOString(),
    });
  }

  #ended(schedule: string): void {
    this.#reporter.emit("loop.schedule.ended", { program: this.#options.program, schedule });
  }
}

const holds = (spans: readonly ActiveSpan[], schedule: string): boolean => spans.some(({ name }) => name === schedule);
