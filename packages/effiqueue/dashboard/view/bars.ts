/** Workers that are needed, that fit and that run, on one scale: where a bar ends short of another is the whole story. */
import type { DecisionEntry, ProgramStatus } from "../../src/report/api-types.ts";
import { spelled } from "../../src/report/spelling.ts";
import { el, keyed, setText } from "../dom.ts";
import { countText } from "../words.ts";

interface Segment {
  readonly kind: string;
  readonly workers: number;
}

interface Bar {
  readonly name: string;
  readonly label: string;
  readonly workers: number | null;
  readonly note: string;
  readonly segments: readonly Segment[];
}

const BOUND_BY: Readonly<Record<DecisionEntry["boundBy"], string>> = {
  ram: "by memory",
  swap: "by swap",
  oom: "by a kill for want of memory",
  pressure: "by memory pressure",
  max_workers: "by max_workers",
  cpu: "by the processors",
  downstream: "by what they depend on",
  "single-consumer": "by the queue, which serves one consumer at a time",
};

export function showBars(parent: Element, status: ProgramStatus): void {
  const bars = barsOf(status);
  const scale = Math.max(1, ...bars.map(({ segments }) => segments.reduce((sum, { workers }) => sum + workers, 0)));
  keyed(parent, bars, {
    key: ({ name }) => name,
    make: () =>
      el(
        "div",
        { class: "bar" },
        el("span", { class: "bar-label" }),
        el("div", { class: "track", "aria-hidden": "true" }),
        el("data", { class: "bar-figure" }),
        el("span", { class: "bar-note" }),
      ),
    update: (element, bar) => update(element, bar, scale),
  });
}

function update(element: Element, { name, label, workers, note, segments }: Bar, scale: number): void {
  const [named, track, figure, noted] = element.children;
  if (named === undefined || track === undefined || figure === undefined || noted === undefined) return;
  setText(named, label);
  keyed(track, segments, {
    key: ({ kind }) => kind,
    make: ({ kind }) => el("div", { class: `segment ${kind}` }),
    update: (segment, each) => {
      (segment as HTMLElement).style.inlineSize = `${(100 * each.workers) / scale}%`;
    },
  });
  figure.textContent = countText(workers);
  figure.setAttribute("value", String(workers ?? ""));
  figure.setAttribute("data-field", name);
  noted.textContent = note;
}

function barsOf({ workers, decision, mode, maxWorkers, settings }: ProgramStatus): Bar[] {
  const one = (name: string, label: string, count: number | null, note: string): Bar => ({
    name,
    label,
    workers: count,
    note: count === null ? "not known yet" : note,
    segments: count === null ? [] : [{ kind: name, workers: count }],
  });
  const needed = decision?.neededWorkers ?? null;
  const capacity = decision?.capacityWorkers ?? null;
  return [
    ...(mode === "slo" ? [one("needed", "Needed", needed, "for the SLO, before any limit")] : []),
    one("asked", "Desired", decision?.desiredWorkers ?? null, "by the last decision"),
    {
      name: "running",
      label: "Running",
      workers: workers?.current ?? null,
      note: workers === null ? "not known yet" : poolText(workers),
      segments:
        workers === null
          ? []
          : [
              { kind: "serving", workers: workers.serving },
              { kind: "starting", workers: workers.starting },
              { kind: "draining", workers: workers.draining },
            ],
    },
    // A policy that knows no limit of the machine has the operator's.
    capacity === null && mode === "hpa"
      ? one("capacity", "At most", maxWorkers, spelled("max_workers", settings))
      : one(
          "capacity",
          "Fits",
          capacity,
          decision === null ? "" : `bound ${spelled(BOUND_BY[decision.boundBy], settings)}`,
        ),
  ];
}

function poolText({ serving, starting, draining }: NonNullable<ProgramStatus["workers"]>): string {
  const parts = [
    [serving, "serving"],
    [starting, "starting"],
    [draining, "draining"],
  ] as const;
  return parts
    .filter(([count], index) => count > 0 || index === 0)
    .map(([count, what]) => `${countText(count)} ${what}`)
    .join(", ");
}
