// A Node with `node:sqlite`, for the tests of that driver, when the present one has none: taken from the package
// registry into `.cache`, never into `node_modules`, where its `node` would shadow the one in use.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { ROOT } from "./prepare.mjs";

const VERSION = "24.21.0";

/** Path and version of that Node; `undefined` when this one has the driver already, or, with a visible word, when none can be had. */
export function secondNode() {
  if (process.getBuiltinModule?.("node:sqlite")) return undefined;
  const packageName = `node-${process.platform}-${process.arch}`;
  const home = `${ROOT}.cache/node-${VERSION}`;
  const path = `${home}/node_modules/${packageName}/bin/node`;
  if (!existsSync(path)) {
    console.log(`\nFetching Node ${VERSION} for the tests of node:sqlite.`);
    const spec = `${packageName}@${VERSION}`;
    spawnSync("npm", ["install", "--prefix", home, "--no-save", "--no-package-lock", spec], { stdio: "inherit" });
  }
  if (existsSync(path)) return { path, version: VERSION };
  if (process.env.CI) {
    console.error(`No Node with node:sqlite could be had (${packageName}@${VERSION}); CI must test that driver.`);
    process.exit(1);
  }
  console.log("SKIPPED: the store on node:sqlite, because no Node that has it could be fetched.");
  return undefined;
}
