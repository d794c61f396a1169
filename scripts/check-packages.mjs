// Packs both packages as npm would publish them and has publint and are-the-types-wrong look at the tarballs.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, run } from "./prepare.mjs";

const tarballs = mkdtempSync(join(tmpdir(), "effiqueue-pack-"));
process.on("exit", () => rmSync(tarballs, { recursive: true, force: true }));

for (const name of ["effiqueue", "flexiq"]) {
  run("npm", ["pack", "--silent", "--workspace", name, "--pack-destination", tarballs]);
}
/** What is no module, and therefore missed by nobody until somebody opens the dashboard. */
const PAGE = [/^package\/dist\/dashboard\/index\.html$/m, /^package\/dist\/dashboard\/assets\/index-[\w-]+\.js$/m];

for (const file of readdirSync(tarballs)) {
  const tarball = join(tarballs, file);
  run(process.execPath, [`${ROOT}node_modules/publint/src/cli.js`, tarball, "--strict"]);
  run(process.execPath, [`${ROOT}node_modules/@arethetypeswrong/cli/dist/index.js`, tarball, "--profile", "esm-only"]);
}

const engine = readdirSync(tarballs).find((file) => file.startsWith("effiqueue-"));
const { stdout } = spawnSync("tar", ["-tzf", join(tarballs, engine)], { encoding: "utf8" });
const missing = PAGE.filter((file) => !file.test(stdout));
if (missing.length > 0) {
  console.error(`${engine} lacks the dashboard (${missing.join(", ")}): npm run build`);
  process.exit(1);
}
