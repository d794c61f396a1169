import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

interface Row {
  /** What its first column says. */
  readonly subject: string;
  /** The tests of its last column, `[name](file)`. */
  readonly proofs: readonly RegExpMatchArray[];
}

/** Rows of the tables of a document whose last column is called proof. */
function provenRows(document: URL): Row[] {
  const tables = readFileSync(document, "utf8").split(/\n\s*\n/);
  return tables
    .map((table) => table.split("\n").map((line) => line.split("|").map((cell) => cell.trim())))
    .filter(([heading]) => heading?.at(-2) === "proof")
    .flatMap(([, , ...rows]) => rows.filter((cells) => cells.length > 2))
    .map((cells) => ({
      subject: cells[1] ?? "",
      proofs: [...(cells.at(-2) ?? "").matchAll(/\[(.+?)\]\((\S+?)\)/g)],
    }));
}

describe.each([
  ["faults.md", 25],
  ["security.md", 8],
] as const)("DESIGN 4.11: docs/%s", (name, least) => {
  const document = new URL(`../docs/${name}`, import.meta.url);
  const rows = provenRows(document);

  it("has rows", () => {
    expect(rows.length).toBeGreaterThan(least);
  });

  it.each(rows)("names tests that there are: $subject", ({ proofs }) => {
    expect(proofs).not.toEqual([]);
    for (const [, title = "", path = ""] of proofs) {
      const file = new URL(path, document);
      expect(existsSync(file), `${fileURLToPath(file)} exists`).toBe(true);
      expect(readFileSync(file, "utf8"), `${path} has a test of this name`).toContain(title);
    }
  });
});
