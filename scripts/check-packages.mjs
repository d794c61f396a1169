// Packs both packages as npm would publish them and has publint and are-the-types-wrong look at the tarballs.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT, run } from "./prepare.mjs";

const tarballs = mkdtempSync(join(tmpdir(), "effiqueue-pack-"));
process.on("exit", () => rmSync(tarballs, { recursive: true, force: true }));

for (const name of ["effiqueue", "flexiq"]) {
  run("npm", ["pack", "--silent", "--workspace", name, "--pack-destination", tarballs]);
}
for (const file of readdirSync(tarballs)) {
  const tarball = join(tarballs, file);
  run(process.execPath, [`${ROOT}node_modules/publint/src/cli.js`, tarball, "--strict"]);
  run(process.execPath, [`${ROOT}node_modules/@arethetypeswrong/cli/dist/index.js`, tarball, "--profile", "esm-only"]);
}
