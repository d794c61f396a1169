/** What operators copy into Prometheus and Grafana: it says what is meant, and of series that exist. DESIGN 6.4. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  DURATION_METRICS,
  PROCESS_METRICS,
  PROGRAM_METRICS,
} from "../../packages/effiqueue/src/report/metrics/table.ts";
import { QUEUE_METRICS } from "../../packages/flexiq/src/autoscale/queue-metrics.ts";

const deployed = (path: string): string => fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url));
const RULES = deployed("prometheus/effiqueue-alerts.yml");
const CASES = deployed("prometheus/effiqueue-alerts.test.yml");

const PROMTOOL = "promtool";
const hasPromtool = spawnSync(PROMTOOL, ["--version"]).status === 0;
const promtool = (...args: string[]) => spawnSync(PROMTOOL, args, { encoding: "utf8" });

const SERIES = new Set(
  [...PROGRAM_METRICS, ...DURATION_METRICS, ...PROCESS_METRICS, ...QUEUE_METRICS].flatMap(({ name, type }) =>
    type === "histogram" ? ["_bucket", "_sum", "_count"].map((suffix) => `${name}${suffix}`) : [name],
  ),
);

/** Names of metrics in an expression. */
const seriesIn = (expr: string): string[] =>
  [...expr.replaceAll(/\{[^}]*\}/g, "").matchAll(/\b(?:effiqueue|flexiq|process)_\w+/g)].map(([name]) => name);

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly refId: string; readonly expr: string; readonly legendFormat: string }[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] };
}

const DASHBOARD = JSON.parse(readFileSync(deployed("grafana/effiqueue.json"), "utf8")) as Dashboard;
const CHARTS = DASHBOARD.panels.filter(({ type }) => type !== "row");
const EXPRESSIONS = CHARTS.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

describe("DESIGN 6.4: the alert rules", () => {
  const rules = readFileSync(RULES, "utf8");
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name ?? "");

  it("are about series that are served", () => {
    const used = [...rules.matchAll(/expr: (?:\|\n)?((?:.|\n)*?)\n +(?:for|labels):/g)].flatMap(([, expr]) =>
      seriesIn(expr ?? ""),
    );
    expect(used.length).toBeGreaterThan(alerts.length);
    expect(used.filter((name) => !SERIES.has(name))).toEqual([]);
  });

  it("have a case that fires and one that does not for each alert", () => {
    const cases = readFileSync(CASES, "utf8").split(/^ {2}- interval/m);
    for (const alert of alerts) {
      const own = cases.filter((text) => text.includes(`alertname: ${alert}\n`));
      expect(
        own.some((text) => text.includes("exp_alerts: []")),
        `${alert} is quiet`,
      ).toBe(true);
      expect(
        own.some((text) => text.includes("exp_labels:")),
        `${alert} fires`,
      ).toBe(true);
    }
  });

  it.skipIf(!hasPromtool)("pass promtool, and fire when they should", () => {
    const checked = promtool("check", "rules", RULES);
    expect(checked.stdout + checked.stderr).toContain(`${alerts.length} rules found`);
    expect(checked.status).toBe(0);
    const tested = promtool("test", "rules", CASES);
    expect(tested, tested.stdout + tested.stderr).toMatchObject({ status: 0 });
  });

  it("are each explained to whom they wake", () => {
    const page = readFileSync(deployed("../docs/monitoring.md"), "utf8");
    for (const alert of alerts) expect(page).toContain(`| \`${alert}\` |`);
  });
});

describe("DESIGN 6.4: the Grafana dashboard", () => {
  it("shows series that are served, of the chosen autoscaler and program", () => {
    expect(EXPRESSIONS.length).toBeGreaterThan(30);
    for (const { title, expr } of EXPRESSIONS) {
      const names = seriesIn(expr);
      expect(names.length, title).toBeGreaterThan(0);
      for (const name of names) expect(SERIES, `${title}: ${name}`).toContain(name);
      const chosen = [...expr.matchAll(/\{job=~"\$job", instance=~"\$instance"(, program=~"\$program")?/g)];
      expect(chosen, title).toHaveLength(names.length);
      if (!expr.includes("process_")) for (const [, program] of chosen) expect(program, title).toBeDefined();
    }
  });

  it("leaves out nothing that a person at night would look for", () => {
    const shown = new Set(EXPRESSIONS.flatMap(({ expr }) => seriesIn(expr)));
    for (const { name } of PROGRAM_METRICS.filter(({ type }) => type === "counter")) expect(shown).toContain(name);
    for (const name of ["needed", "capacity", "desired"]) expect(shown).toContain(`effiqueue_workers_${name}`);
  });

  it("is laid out without overlaps, each panel with its explanation and an id of its own", () => {
    const ids = DASHBOARD.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [i, a] of DASHBOARD.panels.entries()) {
      expect(a.gridPos.x + a.gridPos.w, a.title).toBeLessThanOrEqual(24);
      for (const b of DASHBOARD.panels.slice(i + 1)) {
        const apart =
          a.gridPos.x + a.gridPos.w <= b.gridPos.x ||
          b.gridPos.x + b.gridPos.w <= a.gridPos.x ||
          a.gridPos.y + a.gridPos.h <= b.gridPos.y ||
          b.gridPos.y + b.gridPos.h <= a.gridPos.y;
        expect(apart, `${a.title} and ${b.title}`).toBe(true);
      }
    }
    for (const { title, description, datasource, targets = [] } of CHARTS) {
      expect(description ?? "", title).not.toBe("");
      // Every installation calls its own otherwise.
      expect(datasource?.uid, title).toBe("$" + "{datasource}");
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length);
    }
    expect(DASHBOARD.templating.list.map(({ name }) => name)).toEqual(["datasource", "job", "instance", "program"]);
  });

  it.skipIf(!hasPromtool)("asks questions that Prometheus understands", () => {
    const dir = mkdtempSync(join(tmpdir(), "effiqueue-dashboard-"));
    try {
      const file = join(dir, "rules.yml");
      const rules = EXPRESSIONS.map(({ expr }, i) => ({
        record: `panel:${i}`,
        expr: expr.replaceAll(/\$__\w+/g, "1m"),
      }));
      // JSON is YAML.
      writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
      const { status, stdout, stderr } = promtool("check", "rules", file);
      expect(status, stdout + stderr).toBe(0);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
