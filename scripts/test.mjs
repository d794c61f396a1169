// `npm test`: installs, builds, runs every test, and ends with one line that says how many passed.
// Arguments go to vitest: `npm test -- packages/effiqueue/test/decide`.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { prepare, ROOT } from "./prepare.mjs";
import { secondNode } from "./second-node.mjs";
import { systemPackages } from "./system-packages.mjs";

const scratch = mkdtempSync(join(tmpdir(), "effiqueue-test-"));
/** Of the brokers of the tests. Nothing that is printed may hold it (DESIGN 5.4). */
const password = randomBytes(12).toString("hex");

/** Runs vitest under the given Node and returns its counts. A file that cannot even be loaded counts as a failure. */
async function vitest(node, label, args) {
  console.log(`\n== ${label}`);
  const report = join(scratch, `${label.replaceAll(/\W+/g, "-")}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile=${report}`];
  const { status, output } = await printing(node, ["node_modules/vitest/vitest.mjs", "run", ...reporters, ...args]);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0 };
  const text = readFileSync(report, "utf8");
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(text);
  const shown = output.includes(password) || text.includes(password);
  if (shown) console.log("FAILED: the output of the tests holds the password of their broker");
  const failed = (status === 0 ? numFailedTests : Math.max(1, numFailedTests)) + (shown ? 1 : 0);
  return { passed: numPassedTests, failed, skipped: numPendingTests + numTodoTests };
}

/** Runs a command; what it prints is printed here, and returned. */
async function printing(file, args) {
  const child = spawn(file, args, {
    cwd: ROOT,
    stdio: ["inherit", "pipe", "pipe"],
    // Node 20 reads this bundle at every start, and the tests start hundreds of processes that never use it.
    env: { ...process.env, NODE_EXTRA_CA_CERTS: undefined, EFFIQUEUE_TEST_PASSWORD: password, ...colours() },
  });
  const chunks = [];
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ]) {
    from.on("data", (chunk) => {
      chunks.push(chunk);
      to.write(chunk);
    });
  }
  const closed = once(child, "close");
  const [status] = await once(child, "exit");
  // Not for ever: what a test has left behind may hold the pipe open.
  await Promise.race([closed, sleep(2_000)]);
  return { status, output: Buffer.concat(chunks).toString() };
}

/** A pipe has none unless it is told to. */
const colours = () => (process.stdout.isTTY ? { FORCE_COLOR: "1" } : {});

prepare();
systemPackages();
const chosen = process.argv.slice(2);
// Before the first run: tests of the packages as a stranger installs them use it too.
const node = chosen.length === 0 ? secondNode() : undefined;
const runs = [await vitest(process.execPath, `tests on Node ${process.versions.node}`, chosen)];

// The other SQLite driver, and apps in TypeScript: again on a Node that has both built in.
if (node) {
  const label = `store and apps on Node ${node.version} (node:sqlite, TypeScript)`;
  runs.push(await vitest(node.path, label, ["packages/flexiq/test/store", "packages/flexiq/test/app"]));
}

rmSync(scratch, { recursive: true, force: true });
const sum = (key) => runs.reduce((total, counts) => total + counts[key], 0);
const skipped = sum("skipped");
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = sum("failed") > 0 || sum("passed") === 0 ? 1 : 0;
