import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const SCRIPT = fileURLToPath(new URL("../scripts/check-design.mjs", import.meta.url));

// Apart from its number, so that the real check does not take the fixtures below for citations.
const DESIGN = "DESIGN";
const cite = (sections: string): string => `// ${DESIGN} ${sections}`;

let root = "";

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "check-design-"));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function check(files: Record<string, string>): { status: number | null; problems: string[] } {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, root], { encoding: "utf8" });
  return { status, problems: stderr.split("\n").filter((line) => line !== "") };
}

const SOUND = {
  "DESIGN.md":
    "## 1. Part\n\n### 1.1 Names\n\n<!-- no rule: names only -->\n\n### 1.2 Rule\n\nText.\n\n### 1.10 Other\n\nText.\n",
  "packages/a/src/one.ts": cite("1.2, 1.10. Pure."),
  "packages/a/test/one.test.ts": cite("1.2"),
  "test/two.test.ts": cite("1.10: more"),
};

describe("DESIGN 1.5: citations of the design", () => {
  it("passes when every citation exists and every rule is cited", () => {
    expect(check(SOUND)).toEqual({ status: 0, problems: [] });
  });

  it("fails on every wrong citation at once, wherever it is, with file and line", () => {
    const { status, problems } = check({
      ...SOUND,
      "packages/a/src/two.ts": `\n${cite("7.7")}`,
      "docs/page.md": cite("1.2 and 1.3"),
      "script.mjs": cite("9"),
    });
    expect(status).toBe(1);
    expect(problems.toSorted()).toEqual([
      "docs/page.md:1: DESIGN.md has no section 1.3",
      "packages/a/src/two.ts:2: DESIGN.md has no section 7.7",
      "script.mjs:1: DESIGN.md has no section 9",
    ]);
  });

  it("fails on a rule that no source or no test cites; fixtures and documents prove nothing", () => {
    const { status, problems } = check({
      ...SOUND,
      "packages/a/src/one.ts": cite("1.10"),
      "test/two.test.ts": "",
      "packages/a/test/fixtures/two.test.ts": cite("1.10"),
      "docs/page.md": cite("1.2"),
    });
    expect(status).toBe(1);
    expect(problems).toEqual([
      `${DESIGN} 1.2 (Rule): no source file cites it`,
      `${DESIGN} 1.10 (Other): no test cites it`,
    ]);
  });

  it("fails on a number that two sections have, and does not excuse a section without giving a reason", () => {
    const design = `${SOUND["DESIGN.md"]}\n### 1.2 Again\n\n### 1.3 Bare\n\n<!-- no rule: -->\n`;
    const { problems } = check({ ...SOUND, "DESIGN.md": design });
    expect(problems).toEqual([
      "DESIGN.md:15: section 1.2 is there twice",
      `${DESIGN} 1.3 (Bare): no source file cites it`,
      `${DESIGN} 1.3 (Bare): no test cites it`,
    ]);
  });
});
