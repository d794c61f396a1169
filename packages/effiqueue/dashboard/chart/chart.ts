/**
 * One chart: lines on a canvas, their present values in words above, one moment at a time for pointer and keys, and a table for whoever
 * reads better than looks. Unknown is a gap in a line, never zero.
 */
import uPlot from "uplot";
import { el } from "../dom.ts";
import { timeText } from "../words.ts";

interface Line {
  readonly label: string;
  /** Names a colour of style/colours.css. */
  readonly colour: string;
  readonly isDashed?: boolean;
  readonly isFilled?: boolean;
  /** Holds its value until the next; else values are joined. */
  readonly isStepped?: boolean;
}

export interface ChartKind {
  readonly title: string;
  /** Of all its values. */
  readonly unit: string;
  readonly lines: readonly Line[];
  readonly text: (value: number | null) => string;
  /** Steps between the lines of the grid, for units that are not decimal. */
  readonly steps?: readonly number[];
}

export interface ChartData {
  readonly fromSec: number;
  readonly toSec: number;
  readonly times: readonly number[];
  /** One column per line. */
  readonly columns: readonly (readonly (number | null)[])[];
}

const HEIGHT = 190;
const TABLE_ROWS = 60;

export class Chart {
  readonly element: HTMLElement;
  readonly #kind: ChartKind;
  readonly #plot: uPlot;
  readonly #stage: HTMLElement;
  readonly #values: HTMLElement[];
  readonly #when: HTMLElement;
  readonly #table: HTMLDetailsElement;
  readonly #chose: (index: number | null) => void;
  #data: ChartData = { fromSec: 0, toSec: 1, times: [], columns: [] };
  #chosen: number | null = null;
  #isFollowing = false;

  /** @param chose somebody looks at this moment, or (`null`) no longer at any */
  constructor(kind: ChartKind, chose: (index: number | null) => void) {
    this.#kind = kind;
    this.#chose = chose;
    this.#values = kind.lines.map(() => el("data", { class: "value" }));
    this.#when = el("span", { class: "when" }, "now");
    this.#stage = el("div", {
      class: "stage",
      tabindex: "0",
      role: "slider",
      "aria-label": `${kind.title}, moments of the last hour`,
      "aria-orientation": "horizontal",
    });
    this.#table = el("details", { class: "as-table" }, el("summary", {}, "As a table"));
    this.#table.addEventListener("toggle", () => this.#showTable());
    this.element = el(
      "figure",
      { class: "card chart" },
      el(
        "figcaption",
        {},
        el("h3", {}, kind.title, " ", el("span", { class: "unit" }, kind.unit)),
        this.#when,
        this.#legend(),
      ),
      this.#stage,
      this.#table,
    );
    this.#plot = new uPlot(this.#options(), [[], ...kind.lines.map(() => [])], this.#stage);
    this.#stage.addEventListener("keydown", (event) => this.#key(event));
    this.#stage.addEventListener("blur", () => this.#chose(null));
    new ResizeObserver(() => this.#fit()).observe(this.#stage);
    this.#read();
  }

  show(data: ChartData): void {
    this.#data = data;
    this.#plot.setData([[...data.times], ...data.columns.map((column) => [...column])] as uPlot.AlignedData);
    // A mode that does not measure it, or nobody who could say.
    const isKnown = data.columns.map((column) => column.some((value) => value !== null));
    for (const [line, value] of this.#values.entries())
      value.parentElement?.toggleAttribute("hidden", isKnown[line] !== true);
    this.element.hidden = data.times.length > 0 && !isKnown.includes(true);
    this.#read();
    this.#showTable();
  }

  /** A moment that is looked at, here or on another chart. */
  follow(index: number | null): void {
    this.#chosen = index;
    this.#isFollowing = true;
    const time = index === null ? undefined : this.#data.times[index];
    const left = time === undefined ? -10 : this.#plot.valToPos(time, "x");
    this.#plot.setCursor({ left, top: time === undefined ? -10 : 0 });
    this.#isFollowing = false;
    this.#read();
  }

  /** After a change of the colours. */
  redraw(): void {
    this.#plot.redraw();
  }

  #legend(): HTMLElement {
    const entries = this.#kind.lines.map(({ label, colour, isDashed }, index) =>
      el(
        "li",
        {},
        el("span", { class: `swatch ${colour}${isDashed === true ? " dashed" : ""}`, "aria-hidden": "true" }),
        `${label} `,
        this.#values[index] ?? "",
      ),
    );
    return el("ul", { class: "legend" }, ...entries);
  }

  #fit(): void {
    const width = this.#stage.clientWidth;
    if (width > 0) this.#plot.setSize({ width, height: HEIGHT });
  }

  /** The values of the moment that is looked at, else of the last. */
  #read(): void {
    const { times, columns } = this.#data;
    const index = this.#chosen ?? times.length - 1;
    const texts = this.#kind.lines.map((_, line) => this.#kind.text(columns[line]?.[index] ?? null));
    for (const [line, value] of this.#values.entries()) value.textContent = texts[line] ?? "";
    const time = times[index];
    const when = this.#chosen === null || time === undefined ? "now" : timeText(1000 * time);
    this.#when.textContent = when;
    const words = this.#kind.lines.map(({ label }, line) => `${label} ${texts[line] ?? ""}`).join(", ");
    this.#stage.setAttribute("aria-valuemin", "0");
    this.#stage.setAttribute("aria-valuemax", String(Math.max(0, times.length - 1)));
    this.#stage.setAttribute("aria-valuenow", String(Math.max(0, index)));
    this.#stage.setAttribute("aria-valuetext", time === undefined ? "no figures yet" : `${when}: ${words}`);
  }

  #key(event: KeyboardEvent): void {
    const last = this.#data.times.length - 1;
    const now = this.#chosen ?? last;
    const to = { ArrowLeft: now - 1, ArrowRight: now + 1, PageUp: now - 30, PageDown: now + 30, Home: 0, End: last }[
      event.key
    ];
    if (event.key === "Escape") this.#chose(null);
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.#chose(Math.min(last, Math.max(0, to)));
  }

  #showTable(): void {
    if (!this.#table.open) return;
    const { times, columns } = this.#data;
    const every = Math.max(1, Math.ceil(times.length / TABLE_ROWS));
    const rows = [...times.keys()].filter((index) => (times.length - 1 - index) % every === 0).toReversed();
    const head = el(
      "tr",
      {},
      el("th", { scope: "col" }, "time"),
      ...this.#kind.lines.map(({ label }) => el("th", { scope: "col" }, label)),
    );
    const body = rows.map((index) =>
      el(
        "tr",
        {},
        el("th", { scope: "row" }, timeText(1000 * (times[index] ?? 0))),
        ...this.#kind.lines.map((_, line) => el("td", {}, this.#kind.text(columns[line]?.[index] ?? null))),
      ),
    );
    const caption = el(
      "caption",
      {},
      `${this.#kind.title}${this.#kind.unit === "" ? "" : ` (${this.#kind.unit})`}, the latest first`,
    );
    const table = el("table", {}, caption, el("thead", {}, head), el("tbody", {}, ...body));
    const frame = el(
      "div",
      { class: "frame", tabindex: "0", role: "region", "aria-label": `${this.#kind.title} as a table` },
      table,
    );
    this.#table.replaceChildren(...[...this.#table.children].slice(0, 1), frame);
  }

  #options(): uPlot.Options {
    const { lines, text, steps } = this.#kind;
    const grid = { stroke: () => colourOf("grid"), width: 1 };
    const axis = { stroke: () => colourOf("faint"), font: "11px system-ui, sans-serif", grid, ticks: { show: false } };
    return {
      width: 300,
      height: HEIGHT,
      legend: { show: false },
      padding: [8, 18, 0, 0],
      scales: {
        x: { time: true, range: () => [this.#data.fromSec, this.#data.toSec] },
        y: { range: (_, __, max: number | null) => [0, max === null || max <= 0 ? 1 : max * 1.1] },
      },
      axes: [
        { ...axis, space: 70, size: 28, values: (_, splits) => splits.map((sec) => timeText(1000 * sec).slice(0, 5)) },
        {
          ...axis,
          size: 58,
          ...(steps === undefined ? {} : { incrs: [...steps] }),
          values: (_, splits) => splits.map(text),
        },
      ],
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      series: [{}, ...lines.map(seriesOf)],
      hooks: { setCursor: [(plot) => this.#pointed(plot)] },
    };
  }

  #pointed(plot: uPlot): void {
    if (this.#isFollowing) return;
    this.#chose(plot.cursor.left === undefined || plot.cursor.left < 0 ? null : (plot.cursor.idx ?? null));
  }
}

function seriesOf({ label, colour, isDashed, isFilled, isStepped }: Line): uPlot.Series {
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return {
    label,
    stroke: () => colourOf(colour),
    width: 2,
    points: { show: false },
    ...(isDashed === true ? { dash: [6, 4] } : {}),
    ...(isFilled === true ? { fill: () => colourOf(`${colour}-fill`) } : {}),
    ...(isStepped === true && stepped !== undefined ? { paths: stepped } : {}),
  };
}

/** A colour of style/colours.css, for the scheme of now. */
const colourOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
