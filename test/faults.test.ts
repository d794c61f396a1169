import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const DOCUMENT = new URL("../docs/faults.md", import.meta.url);

/** Rows of its tables: what goes wrong, what happens then, and the tests that prove it as `[name](file)`. */
const rows = readFileSync(DOCUMENT, "utf8")
  .split("\n")
  .filter((line) => /^\| (?!fault\b|-)/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, fault = "", , proofs = ""]) => ({ fault, proofs: [...proofs.matchAll(/\[(.+?)\]\((\S+?)\)/g)] }));

describe("DESIGN 4.11: the fault table", () => {
  it("has rows", () => {
    expect(rows.length).toBeGreaterThan(25);
  });

  it.each(rows)("names tests that there are: $fault", ({ proofs }) => {
    expect(proofs).not.toEqual([]);
    for (const [, name = "", path = ""] of proofs) {
      const file = new URL(path, DOCUMENT);
      expect(existsSync(file), `${fileURLToPath(file)} exists`).toBe(true);
      // A title may stand in a call that was broken into lines, and hold quotes of either kind.
      expect(readFileSync(file, "utf8"), `${path} has a test of this name`).toContain(name);
    }
  });
});
