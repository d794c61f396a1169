import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EVENT_LEVELS } from "../packages/effiqueue/src/report/levels.ts";

const SCRIPT = new URL("../scripts/generate-events.mjs", import.meta.url);
const EVENTS = "packages/effiqueue/src/model/events.ts";

const { catalogueOf } = (await import(SCRIPT.href)) as { catalogueOf: (source: string) => string };

const ONE_EVENT = `export interface EventFields {
  /** A thing
   * happened. Warning, on change. */
  "a.thing.happened": {
    /** Which one. */
    name: string;
    count?: number | null;
  };
}
`;

describe("DESIGN 6.1: the catalogue of events", () => {
  it("is generated from the comments and types: name, level, meaning, fields", () => {
    const page = catalogueOf(ONE_EVENT);
    expect(page.slice(page.indexOf("## "))).toBe(
      [
        "## `a.thing.happened`",
        "",
        "Level: warning, on change.",
        "",
        "A thing happened.",
        "",
        "| field | type | |",
        "| --- | --- | --- |",
        "| `name` | `string` | Which one. |",
        "| `count?` | `number \\| null` |  |",
        "",
      ].join("\n"),
    );
  });

  it("is found stale when an event has changed, and fresh when none has", () => {
    const root = mkdtempSync(join(tmpdir(), "generate-events-"));
    const write = (name: string, text: string): void => {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    };
    const check = () => spawnSync(process.execPath, [fileURLToPath(SCRIPT), "--check", root], { encoding: "utf8" });
    try {
      write("docs/events.md", catalogueOf(ONE_EVENT));
      write(EVENTS, ONE_EVENT);
      expect(check()).toMatchObject({ status: 0, stderr: "" });
      write(EVENTS, ONE_EVENT.replace("count?", "total"));
      const { status, stderr } = check();
      expect(status).toBe(1);
      expect(stderr).toContain("docs/events.md is stale");
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it("refuses an event that nobody explains", () => {
    const bare = 'export interface EventFields { "a.thing.happened": { name: string } }';
    expect(() => catalogueOf(bare)).toThrow("a.thing.happened has no comment");
  });

  it("gives every event of the engine the level it is reported with", () => {
    const page = catalogueOf(readFileSync(new URL(`../${EVENTS}`, import.meta.url), "utf8"));
    const levels = page.matchAll(/^## `(.+)`\n\nLevel: (debug|info|warn|error)/gm);
    expect(Object.fromEntries([...levels].map(([, name, level]) => [name, level]))).toEqual(EVENT_LEVELS);
  });
});
