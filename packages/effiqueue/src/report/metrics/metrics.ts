/** The status in the text format of Prometheus. DESIGN 6.4. */
import { createRequire } from "node:module";
import type { StatusReply } from "../api-types.ts";
import type { Board } from "../board.ts";
import { familiesText, type MoreMetrics } from "./families.ts";
import { DURATION_METRICS, PROCESS_METRICS, PROGRAM_METRICS } from "./table.ts";

export interface Metrics {
  /** With the version of the format. */
  readonly contentType: string;
  expose(): Promise<string>;
}

/** What a gauge and a counter have in common here: both are written anew at each look. */
interface Series {
  reset(): void;
  put(labels: Readonly<Record<string, string>>, value: number): void;
}

// 11 MB and 50 ms that a daemon without an endpoint, and every importer of the package, does without.
const require = createRequire(import.meta.url);

/** @param more metrics that are not read off the board; when they cannot be had the others are answered without them */
export function openMetrics(board: Board, more?: MoreMetrics): Metrics {
  const { Counter, Gauge, Histogram, Registry } = require("prom-client") as typeof import("prom-client");
  const registry = new Registry();
  const registers = [registry];

  const series = (type: "gauge" | "counter", name: string, help: string, labelNames: string[]): Series => {
    const config = { name, help, labelNames, registers };
    const metric = type === "gauge" ? new Gauge(config) : new Counter(config);
    return {
      reset: () => metric.reset(),
      put: (labels, value) => ("set" in metric ? metric.set(labels, value) : metric.inc(labels, value)),
    };
  };

  const ofPrograms = PROGRAM_METRICS.map((metric) => {
    const labels = metric.byKind === undefined ? ["program"] : ["program", "kind"];
    return { metric, out: series(metric.type, metric.name, metric.help, labels) };
  });
  const ofProcess = PROCESS_METRICS.map((metric) => {
    const labels = metric.byKind === undefined ? Object.keys(metric.labels?.(board.status()) ?? {}) : ["kind"];
    return { metric, out: series(metric.type, metric.name, metric.help, labels) };
  });
  const durations = DURATION_METRICS.map(({ name, help, buckets, of }) => {
    const histogram = new Histogram({ name, help, buckets: [...buckets], labelNames: ["program"], registers });
    return { of, histogram };
  });
  const known = new Set<string>();
  const meet = (program: string): void => {
    if (known.has(program)) return;
    known.add(program);
    for (const { histogram } of durations) histogram.zero({ program });
  };
  const forget = (program: string): void => {
    known.delete(program);
    for (const { histogram } of durations) histogram.remove({ program });
  };
  const observe = (of: "tick" | "drain", program: string, sec: number): void => {
    meet(program);
    for (const each of durations) if (each.of === of) each.histogram.observe({ program }, sec);
  };
  board.onDuration({
    tickTook: (program, sec) => observe("tick", program, sec),
    drainTook: (program, sec) => observe("drain", program, sec),
  });

  /** All at once: a scrape that comes in between must not see half of it. */
  const write = (status: StatusReply): void => {
    const names = new Set(status.programs.map(({ program }) => program));
    for (const name of names) meet(name);
    for (const name of known) if (!names.has(name)) forget(name);
    for (const { metric, out } of ofPrograms) {
      out.reset();
      for (const program of status.programs) {
        if (metric.byKind !== undefined) {
          for (const [kind, value] of Object.entries(metric.byKind(program))) {
            out.put({ program: program.program, kind }, value);
          }
        } else {
          const value = metric.read(program);
          if (value !== null) out.put({ program: program.program }, value);
        }
      }
    }
    for (const { metric, out } of ofProcess) {
      out.reset();
      if (metric.byKind === undefined) out.put(metric.labels?.(status) ?? {}, metric.read(status));
      else for (const [kind, value] of Object.entries(metric.byKind(status))) out.put({ kind }, value);
    }
  };

  return {
    contentType: registry.contentType,
    async expose() {
      write(board.status());
      const own = registry.metrics();
      const others = more === undefined ? [] : await more().catch(() => []);
      return (await own) + familiesText(others);
    },
  };
}
