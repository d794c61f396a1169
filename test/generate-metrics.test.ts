import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SCRIPT = new URL("../scripts/generate-metrics.mjs", import.meta.url);
const TABLE = "packages/effiqueue/src/report/metrics/table.ts";

const QUEUE_TABLE = "packages/flexiq/src/autoscale/queue-metrics.ts";

const { pageOf } = (await import(SCRIPT.href)) as { pageOf: (source: string, queueSource: string) => Promise<string> };

const metric = (name: string, more = "read: () => 1"): string =>
  `{ name: "${name}", type: "gauge", unit: "a|b", help: "What it is", ${more} },`;

const table = (name: string): string => `
  import type { StatusReply } from "../api-types.ts";
  export const PROGRAM_METRICS: readonly object[] = [${metric(name)} ${metric("b_total", "byKind: () => ({})")}];
  export const DURATION_METRICS: readonly object[] = [${metric("c_seconds", "buckets: [1]")}];
  export const PROCESS_METRICS: readonly object[] = [${metric("d")}];
`;

const QUEUE = `export const QUEUE_METRICS = [${metric("e", 'label: "state"')}];`;

describe("DESIGN 6.4: the page of metrics", () => {
  it("is generated from the tables: name, type, unit, meaning, and who has which label", async () => {
    const page = await pageOf(table("a"), QUEUE);
    expect(page).toContain("| `a` | gauge | a\\|b | What it is |");
    expect(page).toContain("`b_total` have `kind` as well");
    expect(page.indexOf("`c_seconds`")).toBeLessThan(page.indexOf("## Of the daemon"));
    expect(page).toContain("`e` has `state` as well");
    expect(page.indexOf("`d`")).toBeGreaterThan(page.indexOf("## Of the daemon"));
  });

  it("is found stale when a metric has changed, and fresh when none has", async () => {
    const root = mkdtempSync(join(tmpdir(), "generate-metrics-"));
    const write = (name: string, text: string): void => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    };
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [fileURLToPath(SCRIPT), ...args, root], {
        encoding: "utf8",
        env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined },
      });
    try {
      write(TABLE, table("a"));
      write(QUEUE_TABLE, QUEUE);
      expect(run().status).toBe(0);
      expect(readFileSync(join(root, "docs/metrics.md"), "utf8")).toBe(await pageOf(table("a"), QUEUE));
      expect(run("--check")).toMatchObject({ status: 0, stderr: "" });
      write(TABLE, table("renamed"));
      const { status, stderr } = run("--check");
      expect(status).toBe(1);
      expect(stderr).toContain("docs/metrics.md is stale");
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
