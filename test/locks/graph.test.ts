import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FIXTURE = fileURLToPath(new URL("fixtures/graph", import.meta.url));

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string };
}

/** What our rules say of the packages in a folder: `rule: from -> to`. */
function violationsIn(folder: string): string[] {
  const depcruise = `${ROOT}node_modules/dependency-cruiser/bin/dependency-cruise.mjs`;
  const rules = ["--config", `${ROOT}.dependency-cruiser.cjs`, "--output-type", "json"];
  const sources = ["packages/effiqueue/src", "packages/flexiq/src"];
  const { stdout, stderr } = spawnSync(process.execPath, [depcruise, ...rules, ...sources], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!stdout.startsWith("{")) throw new Error(`dependency-cruiser said: ${stdout}${stderr}`);
  const { summary } = JSON.parse(stdout) as { summary: { violations: Violation[]; totalCruised: number } };
  expect(summary.totalCruised).toBeGreaterThan(10);
  const short = (path: string): string => path.replace(/^packages\/([^/]+)\/src\//, "$1/");
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${short(from)} -> ${short(to)}`);
}

let caught: string[] = [];

// It reads every file there is, on a machine that may be busy.
const BOUND_MS = 180_000;

beforeAll(() => {
  caught = violationsIn(FIXTURE);
}, BOUND_MS);

describe("DESIGN 1.5: lock 2, the graph of imports", () => {
  it.each([
    ["a module of Node three hops away", "decide-is-pure: effiqueue/decide/two-hops.ts -> fs"],
    ["a module of Node two hops away", "decide-is-pure: effiqueue/decide/helper.ts -> fs"],
    ["a type of another layer", "decide-is-pure: effiqueue/decide/by-type.ts -> effiqueue/act/pool.ts"],
    ["what that layer imports", "decide-is-pure: effiqueue/decide/by-type.ts -> effiqueue/report/level.ts"],
    ["another layer in the simulator", "simulate-is-pure: effiqueue/simulate/by-type.ts -> effiqueue/act/pool.ts"],
    ["anything in the job lifecycle", "lifecycle-is-pure: flexiq/lifecycle.ts -> flexiq/one.ts"],
  ])("catches %s", (_, violation) => {
    expect(caught).toContain(violation);
  });

  it("catches a package", () => {
    expect(
      caught.some((violation) => /^decide-is-pure: effiqueue\/decide\/by-package\.ts -> .*fast-check/.test(violation)),
    ).toBe(true);
  });
});

describe("DESIGN 1.4: layers", () => {
  it("each rule is broken by the fixture, once or more", () => {
    expect(caught).toEqual(
      expect.arrayContaining([
        "model-is-data: effiqueue/model/innocent.ts -> fs",
        "units-stand-alone: effiqueue/units.ts -> effiqueue/report/level.ts",
        "layers-meet-through-ports: effiqueue/act/pool.ts -> effiqueue/report/level.ts",
        "layers-meet-through-ports: effiqueue/loop/run.ts -> effiqueue/act/pool.ts",
        "app-below-cli: effiqueue/app/daemon.ts -> effiqueue/cli/main.ts",
        "engine-knows-no-flexiq: effiqueue/app/daemon.ts -> flexiq/lifecycle.ts",
        "engine-by-its-entry-points: flexiq/two.ts -> effiqueue/units.ts",
        "store-at-the-bottom: flexiq/store/store.ts -> flexiq/cli/command.ts",
        "nothing-imports-a-cli: flexiq/store/store.ts -> flexiq/cli/command.ts",
        "no-cycles: flexiq/one.ts -> flexiq/two.ts",
      ]),
    );
  });

  it("the sources break none", { timeout: BOUND_MS }, () => {
    expect(violationsIn(ROOT)).toEqual([]);
  });
});
