import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ESLint } from "eslint";
import tseslint from "typescript-eslint";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FIXTURE = readFileSync(new URL("fixtures/lint/impure.ts", import.meta.url), "utf8");

const eslint = new ESLint({
  cwd: ROOT,
  // Types play no part in this lock, and reading them takes most of a linter's time.
  overrideConfig: [{ ...tseslint.configs.disableTypeChecked, files: ["**/*.ts"] }],
  ruleFilter: ({ ruleId }) => ruleId.startsWith("no-restricted-"),
});

/** Lines, from 1, of the fixture that are refused when they stand in the file of that path. */
async function refusedLines(filePath: string): Promise<number[]> {
  const [result] = await eslint.lintText(FIXTURE, { filePath: `${ROOT}${filePath}` });
  const messages = result?.messages ?? [];
  expect(messages.filter(({ fatal }) => fatal)).toEqual([]);
  const lines = messages.filter(({ ruleId }) => ruleId?.startsWith("no-restricted-")).map(({ line }) => line);
  return [...new Set(lines)].toSorted((a, b) => a - b);
}

const marked = FIXTURE.split("\n").flatMap((line, index) => (line.endsWith("// locked") ? [index + 1] : []));

describe("DESIGN 1.5: lock 3, the linter", () => {
  it.each([
    "packages/effiqueue/src/decide/hpa/policy.ts",
    "packages/effiqueue/src/decide/a/file/to/come.ts",
    "packages/effiqueue/src/model/events.ts",
    "packages/effiqueue/src/units.ts",
    "packages/flexiq/src/lifecycle.ts",
  ])("refuses time, chance and waiting in %s, and nothing else", async (path) => {
    expect(marked).toHaveLength(18);
    expect(await refusedLines(path)).toEqual(marked);
  });

  it("leaves the other layers alone", async () => {
    expect(await refusedLines("packages/effiqueue/src/loop/clock.ts")).toEqual([]);
  });
});
