/** The figures of now, each with its unit and what it is to be held against. */
import type { ProgramStatus } from "../../src/report/api-types.ts";
import { durationText } from "../../src/report/explain-words.ts";
import { el, keyed, setText } from "../dom.ts";
import { countText, rateText, sizeText, UNKNOWN } from "../words.ts";
import { drainSec } from "./verdict.ts";

interface Tile {
  readonly field: string;
  readonly label: string;
  /** As `/api/status` has it. */
  readonly value: number | string | null;
  readonly text: string;
  readonly unit: string;
  readonly note: string;
  /** Fills a line under the figure; in [0, 1], `null`: there is nothing to fill. */
  readonly share: number | null;
}

export function showTiles(parent: Element, status: ProgramStatus): void {
  keyed(parent, tilesOf(status), {
    key: ({ field }) => field,
    make: ({ label }) =>
      el(
        "div",
        { class: "card tile" },
        el("dt", {}, el("span", {}, label), el("span", { class: "unit" })),
        el("dd", { class: "figure" }, el("data")),
        el("dd", { class: "share", "aria-hidden": "true" }, el("div")),
        el("dd", { class: "note" }),
      ),
    update,
  });
}

function update(element: Element, { field, label, value, text, unit, note, share }: Tile): void {
  const [head, figure, line, noted] = element.children;
  const [name, units] = head?.children ?? [];
  const data = figure?.firstElementChild ?? undefined;
  const fill = line?.firstElementChild as HTMLElement | null | undefined;
  if (name === undefined || data === undefined || units === undefined || noted === undefined || fill == null) return;
  setText(name, label);
  setText(data, text);
  data.setAttribute("value", String(value ?? ""));
  data.setAttribute("data-field", field);
  setText(units, unit);
  setText(noted, note);
  line?.toggleAttribute("hidden", share === null);
  fill.style.inlineSize = `${100 * Math.min(1, share ?? 0)}%`;
  fill.classList.toggle("full", (share ?? 0) > 0.9);
}

const SOURCES = ["not measured yet", "from the broker's rates", "inferred from the backlog"] as const;

function tilesOf(status: ProgramStatus): Tile[] {
  const { mode, sloSec, sloGoal, queue, workers, memory, decision } = status;
  const lambda = decision?.lambdaPerSec ?? null;
  const mu = decision?.muPerSec ?? null;
  const drain = drainSec(status);
  const most = mu === null || workers === null ? null : mu * workers.current;
  const backlog: Tile = {
    field: "backlog",
    label: "Backlog",
    value: queue?.backlog ?? null,
    text: countText(queue?.backlog ?? null),
    unit: "messages",
    note: queueNote(queue),
    share: null,
  };
  const drains: Tile = {
    field: "drain",
    label: "Empties in",
    value: drain,
    text: drain === null ? UNKNOWN : Number.isFinite(drain) ? durationText(drain) : "never",
    unit: "",
    note:
      sloSec === null
        ? ""
        : `at the present pace; ${sloGoal === "wait" ? "nobody to wait for" : "promised:"} ${durationText(sloSec)}`,
    share: null,
  };
  const arrives: Tile = {
    field: "lambda",
    label: mode === "slo" ? "Arriving (λ)" : "Arriving",
    value: mode === "slo" ? lambda : (queue?.publishPerSec ?? null),
    text: rateText(mode === "slo" ? lambda : (queue?.publishPerSec ?? null)),
    unit: "/s",
    note: queue?.ackPerSec == null ? "" : `${rateText(queue.ackPerSec)}/s finished`,
    share: null,
  };
  const rate: Tile = {
    field: "mu",
    label: "One worker (μ)",
    value: mu,
    text: rateText(mu),
    unit: "/s",
    note: `${SOURCES[decision?.muSource ?? 0]}${most === null ? "" : `; ${rateText(most)}/s all together`}`,
    share: null,
  };
  if (mode === "slo") return [backlog, drains, arrives, rate, poolMemory(memory), machine(memory)];
  // What such a program does not have is no news.
  return [backlog, ...[arrives, poolMemory(memory), machine(memory)].filter(({ value }) => value !== null)];
}

function queueNote(queue: ProgramStatus["queue"]): string {
  if (queue === null) return "cannot be read";
  const inHand = queue.unacked === null ? "handed out: cannot be seen" : `${countText(queue.unacked)} handed out`;
  const age = queue.oldestAgeSec === null ? "" : `; the oldest for ${durationText(queue.oldestAgeSec)}`;
  return `${countText(queue.ready)} waiting, ${inHand}${age}`;
}

function poolMemory(memory: ProgramStatus["memory"]): Tile {
  const pool = memory?.poolBytes ?? null;
  const budget = memory?.budgetBytes ?? null;
  const largest = memory?.workerBytes == null ? "" : `; ${sizeText(memory.workerBytes)} the largest worker`;
  return {
    field: "pool-memory",
    label: "Pool memory",
    value: pool,
    text: sizeText(pool),
    unit: "",
    note: `${budget === null ? "no budget" : `of ${sizeText(budget)}`}${largest}`,
    share: pool === null || budget === null || budget === 0 ? null : pool / budget,
  };
}

function machine(memory: ProgramStatus["memory"]): Tile {
  const used = memory?.usedBytes ?? null;
  const total = memory?.totalBytes ?? null;
  const swap = memory?.swapTotalBytes
    ? `; swap ${sizeText(memory.swapUsedBytes)} of ${sizeText(memory.swapTotalBytes)}`
    : "";
  const pressure = memory?.pressure == null ? "" : `; pressure ${Math.round(100 * memory.pressure)}%`;
  return {
    field: "machine-memory",
    label: "Machine memory",
    value: used,
    text: sizeText(used),
    unit: "",
    note: `${total === null ? "size unknown" : `of ${sizeText(total)}`}${swap}${pressure}`,
    share: used === null || total === null || total === 0 ? null : used / total,
  };
}
