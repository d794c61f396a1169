/** Heavy packages are loaded by those who use them, not by everybody who imports or runs something of ours. */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { CLI } from "../support/effiqueue-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const FLEXIQ = join(ROOT, "packages/flexiq/dist/cli/main.js");

/** Packages of others that a Node process has loaded at its end, by the coverage that it writes. */
async function packagesOf(args: readonly string[], stopAt?: string): Promise<string[]> {
  const [dir, cwd] = [tempDir(), tempDir()];
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: stopAt === undefined ? ROOT : cwd,
    env: { ...env, NODE_V8_COVERAGE: dir, FLEXIQ_DB_PATH: join(cwd, "q.db") },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    if (stopAt !== undefined && said.includes(stopAt)) child.kill("SIGTERM");
  });
  const code = await new Promise((resolve) => child.on("close", resolve));
  expect(code, said).toBe(0);
  const urls = readdirSync(dir).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(dir, name), "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  expect(urls.some((url) => url.includes("/dist/"))).toBe(true);
  const names = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return [...new Set(names)].sort();
}

const importing = (name: string): string[] => ["--input-type=module", "-e", `await import(${JSON.stringify(name)})`];

describe("DESIGN 7.9: what is loaded when", () => {
  it.each([
    ["effiqueue/decide", []],
    ["effiqueue/simulate", []],
    ["effiqueue", []],
    ["effiqueue/daemon", ["smol-toml"]],
    ["effiqueue/status", []],
    ["flexiq", []],
    ["flexiq/autoscale", []],
  ])("importing %s loads %j", async (name, loaded) => {
    expect(await packagesOf(importing(name))).toEqual(loaded);
  });

  it("help and version load no more than the command line needs", async () => {
    expect(await packagesOf([CLI, "--version"])).toEqual(["commander"]);
    expect(await packagesOf([CLI, "--help"])).toEqual(["commander"]);
  });

  it("flexiq autoscale loads nothing of the daemon", async () => {
    const app = join(ROOT, "packages/flexiq/test/fixtures/tasks.mjs");
    const packages = await packagesOf([FLEXIQ, "autoscale", "--app", app, "--min-workers", "0"], "workers=0 -> 0");
    expect(packages).toContain("pino");
    for (const heavy of ["amqplib", "prom-client", "smol-toml"]) expect(packages).not.toContain(heavy);
  });
});
