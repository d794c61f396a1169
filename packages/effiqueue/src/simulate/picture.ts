/**
 * A run as a picture: backlog and late messages above, workers below, and what was measured where the trace knows it. SVG, because a
 * run is to be looked at anywhere and by anybody. DESIGN 13.6. Pure.
 */
import type { Moment, Simulation } from "./simulate.ts";
import type { Trace } from "./trace.ts";

const WIDTH = 960;
const LEFT = 64;
const RIGHT = 16;
const PANEL = 200;
const GAP = 56;
const TOP = 48;
const HEIGHT = TOP + 2 * PANEL + GAP + 40;
const BARS = 120;

/** Told apart by colour, brightness and dash, for those who do not see the colours. */
const LINES = {
  backlog: { colour: "#1f6fb2", label: "backlog" },
  late: { colour: "#c0392b", label: "late messages, by arrival" },
  workers: { colour: "#1b7f4d", label: "workers" },
  needed: { colour: "#b9770e", label: "needed", dash: "6 3" },
  capacity: { colour: "#555555", label: "capacity", dash: "2 3" },
  measured: { colour: "#111111", label: "measured", dash: "5 4" },
} as const;

interface Scale {
  readonly most: number;
  readonly of: (value: number) => number;
}

type Points = readonly (readonly [sec: number, value: number | null])[];

/** @throws RangeError for a run without moments: `sampleSec` keeps them */
export function drawSimulation(
  run: Simulation,
  { title, trace }: { readonly title: string; readonly trace?: Trace },
): string {
  const { moments, lengthSec, lateAt } = run;
  if (moments.length === 0) throw new RangeError("run: expected one with moments; simulate with sampleSec");
  const across = (sec: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * sec) / lengthSec;
  const curve = (of: (moment: Moment) => number | null): Points => moments.map((moment) => [moment.sec, of(moment)]);
  const seen = (values: readonly (number | null)[] | undefined): Points =>
    (values ?? []).map((value, i) => [(i + 1) * (trace?.intervalSec ?? 1), value]);

  const backlog = curve((moment) => moment.backlog);
  const seenBacklog = seen(trace?.measured?.backlog);
  const workers = curve(({ starting, serving }) => starting + serving);
  const seenWorkers = seen(trace?.measured?.workers);
  const most = highest(
    workers,
    seenWorkers,
    curve(({ capacity }) => capacity),
  );
  // A wish far beyond what there can be would press everything else to the ground.
  const needed = curve((moment) => moment.needed && Math.min(moment.needed, 1.5 * most));

  const upper = scaleOf(highest(backlog, seenBacklog), TOP);
  const lower = scaleOf(highest(workers, seenWorkers, needed), TOP + PANEL + GAP);
  const bars = lateBars(lateAt, lengthSec);
  const mostLate = Math.max(1, ...bars);
  const barWidth = (WIDTH - LEFT - RIGHT) / BARS;
  const isMeasured = [...seenBacklog, ...seenWorkers].some(([, value]) => value !== null);

  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="20" font-size="14" font-weight="bold">${escaped(title)}</text>`,
    ...axes(upper, TOP, across, lengthSec),
    ...axes(lower, TOP + PANEL + GAP, across, lengthSec),
    ...bars.flatMap((count, i) => {
      if (count === 0) return [];
      const height = (0.5 * PANEL * count) / mostLate;
      const x = LEFT + i * barWidth;
      return `<rect x="${px(x)}" y="${px(TOP + PANEL - height)}" width="${px(barWidth)}" height="${px(height)}" fill="${LINES.late.colour}" opacity="0.55"/>`;
    }),
    path("backlog", backlog, across, upper),
    path("measured", seenBacklog, across, upper),
    path(
      "capacity",
      curve(({ capacity }) => capacity && Math.min(capacity, lower.most)),
      across,
      lower,
    ),
    path("needed", needed, across, lower),
    path("workers", workers, across, lower),
    path("measured", seenWorkers, across, lower),
    ...legend(["backlog", "late", ...(isMeasured ? (["measured"] as const) : [])], TOP - 12),
    ...legend(
      ["workers", "needed", "capacity", ...(isMeasured ? (["measured"] as const) : [])],
      TOP + PANEL + GAP - 12,
    ),
    "</svg>\n",
  ]
    .filter((line) => line !== "")
    .join("\n");
}

const highest = (...curves: readonly Points[]): number =>
  curves.flat().reduce((most, [, value]) => Math.max(most, value ?? 0), 1);

function scaleOf(most: number, top: number): Scale {
  const step = stepFor(most);
  const upTo = Math.ceil(most / step) * step;
  return { most: upTo, of: (value) => top + PANEL * (1 - value / upTo) };
}

/** 1, 2 or 5 times a power of ten, four to eight of them to the highest. */
function stepFor(most: number): number {
  const power = 10 ** Math.floor(Math.log10(most / 4));
  const [step = 10 * power] = [1, 2, 5].map((times) => times * power).filter((each) => most / each <= 8);
  return Math.max(1, step);
}

function axes({ most, of }: Scale, top: number, across: (sec: number) => number, lengthSec: number): string[] {
  const step = stepFor(most);
  const levels = Array.from({ length: Math.round(most / step) + 1 }, (_, i) => i * step);
  const minutes = timeStep(lengthSec);
  const times = Array.from({ length: Math.floor(lengthSec / 60 / minutes) + 1 }, (_, i) => i * minutes);
  return [
    ...levels.flatMap((level) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${px(of(level))}" y2="${px(of(level))}" stroke="#e2e2e2"/>`,
      `<text x="${LEFT - 8}" y="${px(of(level) + 4)}" text-anchor="end" fill="#444444">${level}</text>`,
    ]),
    ...times.map(
      (minute) =>
        `<text x="${px(across(60 * minute))}" y="${top + PANEL + 16}" text-anchor="middle" fill="#444444">${clock(minute)}</text>`,
    ),
  ];
}

const timeStep = (lengthSec: number): number =>
  [1, 2, 5, 10, 20, 30, 60, 120, 240, 480].find((minutes) => lengthSec / 60 / minutes <= 12) ?? 1440;

const clock = (minute: number): string => `${Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;

/** A gap where the value is not known; steps, because workers come and go at once. */
function path(name: keyof typeof LINES, points: Points, across: (sec: number) => number, { of }: Scale): string {
  let d = "";
  let isDrawn = false;
  for (const [sec, value] of points) {
    if (value !== null) d += isDrawn ? `H${px(across(sec))}V${px(of(value))}` : `M${px(across(sec))} ${px(of(value))}`;
    isDrawn = value !== null;
  }
  const line = LINES[name];
  const dash = "dash" in line ? ` stroke-dasharray="${line.dash}"` : "";
  return d === "" ? "" : `<path d="${d}" fill="none" stroke="${line.colour}" stroke-width="1.6"${dash}/>`;
}

function legend(names: readonly (keyof typeof LINES)[], y: number): string[] {
  return names.map((name, i) => {
    const line = LINES[name];
    const x = LEFT + i * 200;
    const dash = "dash" in line ? ` stroke-dasharray="${line.dash}"` : "";
    return `<path d="M${x} ${y - 4}h24" stroke="${line.colour}" stroke-width="3"${dash}/><text x="${x + 30}" y="${y}">${line.label}</text>`;
  });
}

function lateBars(lateAt: readonly number[], lengthSec: number): number[] {
  const bars = new Array<number>(BARS).fill(0);
  for (const sec of lateAt) {
    const at = Math.min(BARS - 1, Math.floor((BARS * sec) / lengthSec));
    bars[at] = (bars[at] ?? 0) + 1;
  }
  return bars;
}

const px = (value: number): string => String(Number(value.toFixed(1)));

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
