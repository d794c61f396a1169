/** The charts of a program. They share their moments: whoever points at one sees what the others were then, and why. */
import type { HistoryPoint } from "../../src/report/api-types.ts";
import { at, type Past } from "../live/past.ts";
import { countText, rateText, sizeText } from "../words.ts";
import { Chart, type ChartKind } from "./chart.ts";

interface Kind extends ChartKind {
  readonly values: (point: HistoryPoint) => readonly (number | null)[];
}

const MIB = 1024 ** 2;
const BINARY_STEPS = Array.from({ length: 24 }, (_, power) => 2 ** power * MIB);

/** There is no half a worker. */
const WHOLE_STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

const KINDS: readonly Kind[] = [
  {
    title: "Workers",
    unit: "",
    text: countText,
    steps: WHOLE_STEPS,
    lines: [
      { label: "needed", colour: "needed", isStepped: true },
      { label: "fit", colour: "capacity", isDashed: true, isStepped: true },
      { label: "running", colour: "running", isFilled: true, isStepped: true },
    ],
    values: ({ neededWorkers, capacityWorkers, runningWorkers }) => [neededWorkers, capacityWorkers, runningWorkers],
  },
  {
    title: "Backlog",
    unit: "messages",
    text: countText,
    steps: WHOLE_STEPS,
    lines: [{ label: "waiting or handed out", colour: "backlog", isFilled: true }],
    values: ({ backlog }) => [backlog],
  },
  {
    title: "Messages",
    unit: "per second",
    text: rateText,
    lines: [
      { label: "arriving (λ)", colour: "arriving" },
      { label: "finished", colour: "finished" },
      { label: "the pool can do (μ × running)", colour: "capacity", isDashed: true },
    ],
    values: ({ lambdaPerSec, finishedPerSec, muPerSec, runningWorkers }) => [
      lambdaPerSec,
      finishedPerSec,
      muPerSec === null || runningWorkers === null ? null : muPerSec * runningWorkers,
    ],
  },
  {
    title: "Memory",
    unit: "",
    text: sizeText,
    steps: BINARY_STEPS,
    lines: [
      { label: "pool", colour: "memory", isFilled: true },
      { label: "budget", colour: "capacity", isDashed: true, isStepped: true },
    ],
    values: ({ poolBytes, budgetBytes }) => [poolBytes, budgetBytes],
  },
];

/** Younger daemons than this are not shown as a sliver at the edge of an hour. */
const LEAST_SPAN_SEC = 300;

export class Charts {
  readonly #charts: readonly Chart[];
  readonly #looked: (timeSec: number | null) => void;
  #past: Past | null = null;
  #chosen: number | null = null;

  /** @param looked at a moment, in seconds since 1970, or at none */
  constructor(parent: Element, looked: (timeSec: number | null) => void) {
    this.#looked = looked;
    this.#charts = KINDS.map((kind) => new Chart(kind, (index) => this.#choose(index)));
    parent.append(...this.#charts.map(({ element }) => element));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      for (const chart of this.#charts) chart.redraw();
    });
  }

  show(past: Past, nowSec: number): void {
    const moment = this.#chosen === null ? undefined : this.#past?.times[this.#chosen];
    this.#past = past;
    const points = past.times.map((_, index) => at(past, index));
    const first = past.times[0] ?? nowSec;
    const fromSec = Math.max(nowSec - past.spanSec, Math.min(first, nowSec - LEAST_SPAN_SEC));
    for (const [index, kind] of KINDS.entries()) {
      const rows = points.map(kind.values);
      const columns = kind.lines.map((_, line) => rows.map((row) => row[line] ?? null));
      this.#charts[index]?.show({ fromSec, toSec: nowSec, times: past.times, columns });
    }
    // Who looks at a moment goes on looking at it while the hour moves on.
    const index = moment === undefined ? -1 : past.times.indexOf(moment);
    this.#choose(index < 0 ? null : index);
  }

  #choose(index: number | null): void {
    if (index === null && this.#chosen === null) return;
    this.#chosen = index;
    for (const chart of this.#charts) chart.follow(index);
    this.#looked(index === null ? null : (this.#past?.times[index] ?? null));
  }
}
