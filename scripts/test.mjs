// `npm test`: installs, builds, runs every test, and ends with one line that says how many passed.
// Arguments go to vitest: `npm test -- packages/effiqueue/test/decide`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepare, ROOT } from "./prepare.mjs";
import { secondNode } from "./second-node.mjs";
import { systemPackages } from "./system-packages.mjs";

const scratch = mkdtempSync(join(tmpdir(), "effiqueue-test-"));

/** Runs vitest under the given Node and returns its counts. A file that cannot even be loaded counts as a failure. */
function vitest(node, label, args) {
  console.log(`\n== ${label}`);
  const report = join(scratch, `${label.replaceAll(/\W+/g, "-")}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
  const { status } = spawnSync(node, ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args], {
    cwd: ROOT,
    stdio: "inherit",
    // Node 20 reads this bundle at every start, and the tests start hundreds of processes that never use it.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined },
  });
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, "utf8"));
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests);
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

prepare();
systemPackages();
const chosen = process.argv.slice(2);
// Before the first run: tests of the packages as a stranger installs them use it too.
const node = chosen.length === 0 ? secondNode() : undefined;
const runs = [vitest(process.execPath, `tests on Node ${process.versions.node}`, chosen)];

// The other SQLite driver, and apps in TypeScript: again on a Node that has both built in.
if (node) {
  const label = `store and apps on Node ${node.version} (node:sqlite, TypeScript)`;
  runs.push(vitest(node.path, label, ["packages/flexiq/test/store", "packages/flexiq/test/app"]));
}

rmSync(scratch, { recursive: true, force: true });
const sum = (key) => runs.reduce((total, counts) => total + counts[key], 0);
const skipped = sum("skipped");
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
