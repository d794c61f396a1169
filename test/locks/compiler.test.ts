import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

function projectOf(config: string): ts.ParsedCommandLine {
  const host: ts.ParseConfigFileHost = {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, "\n"));
    },
  };
  const parsed = ts.getParsedCommandLineOfConfigFile(config, {}, host);
  if (!parsed) throw new Error(`no project at ${config}`);
  return parsed;
}

/** Lines, from 1, on which a file of the project does not compile. */
function failingLines(config: string, file: string): number[] {
  const { fileNames, options } = projectOf(config);
  const diagnostics = ts.getPreEmitDiagnostics(ts.createProgram(fileNames, options));
  const lines = diagnostics.flatMap((diagnostic) =>
    diagnostic.file?.fileName === file && diagnostic.start !== undefined
      ? [diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start).line + 1]
      : [],
  );
  return [...new Set(lines)].toSorted((a, b) => a - b);
}

function markedLines(file: string): number[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.flatMap((line, index) => (line.endsWith("// locked") ? [index + 1] : []));
}

describe("DESIGN 1.5: lock 1, the compiler", () => {
  it.each([
    ["effiqueue's decide layer", "decide"],
    ["flexiq's job lifecycle", "pure"],
  ])("refuses time, I/O and other folders under the options of %s, and nothing else", (_, project) => {
    const file = path(`fixtures/compiler/${project}/src/impure.ts`);
    const marked = markedLines(file);
    expect(marked).toHaveLength(10);
    expect(failingLines(path(`fixtures/compiler/${project}/tsconfig.json`), file)).toEqual(marked);
  });

  it("covers every file of the pure layer, and no other project compiles one", () => {
    const pure = projectOf(path("../../packages/effiqueue/tsconfig.decide.json")).fileNames;
    const rest = projectOf(path("../../packages/effiqueue/tsconfig.json")).fileNames;
    const inDecide = (file: string): boolean => /\/src\/(decide|model)\/|\/src\/units\.ts$/.test(file);
    expect(pure.length).toBeGreaterThan(0);
    expect(pure.filter((file) => !inDecide(file))).toEqual([]);
    expect(rest.filter(inDecide)).toEqual([]);

    const simulated = projectOf(path("../../packages/effiqueue/tsconfig.simulate.json")).fileNames;
    expect(simulated.length).toBeGreaterThan(0);
    expect(simulated.filter((file) => !file.includes("/src/simulate/"))).toEqual([]);
    expect(rest.filter((file) => file.includes("/src/simulate/"))).toEqual([]);

    const lifecycle = path("../../packages/flexiq/src/lifecycle.ts");
    expect(projectOf(path("../../packages/flexiq/tsconfig.pure.json")).fileNames).toEqual([lifecycle]);
    expect(projectOf(path("../../packages/flexiq/tsconfig.json")).fileNames).not.toContain(lifecycle);
  });
});
