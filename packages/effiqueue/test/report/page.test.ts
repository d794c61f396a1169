import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { openPage } from "../../src/report/dashboard/page.ts";
import { FOLLOW, openRoutes } from "../../src/report/http/routes.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { tempDir } from "../support/temp-dir.ts";
import { testBoard } from "./records.ts";

function built(): URL {
  const dir = tempDir();
  mkdirSync(join(dir, "assets"));
  writeFileSync(join(dir, "index.html"), "<!doctype html>");
  writeFileSync(join(dir, "assets/index-abc.js"), "1");
  writeFileSync(join(dir, "assets/index-abc.css"), "a{}");
  writeFileSync(join(dir, "assets/notes.txt"), "not of the page");
  writeFileSync(join(dir, "secret.html"), "not of the page");
  return pathToFileURL(`${dir}/`);
}

function asking(folder: URL) {
  const { board } = testBoard();
  const served = { board, metrics: openMetrics(board), isReady: () => true };
  const answer = openRoutes(served, { hosts: [], token: "0123456789abcdef" }, openPage(folder));
  return async (target: string, method = "GET") => {
    const reply = await answer({ method, target, headers: {} });
    if (reply === FOLLOW) throw new Error("a stream");
    return reply;
  };
}

describe("DESIGN 6.7: the files of the page", () => {
  it("are open to whoever may come, for there are no figures in them", async () => {
    const ask = asking(built());
    const page = await ask("/");
    expect(page).toMatchObject({ status: 200, contentType: "text/html; charset=utf-8" });
    expect(await ask("/?x=1")).toEqual(page);
    expect(await ask("/assets/index-abc.js")).toMatchObject({ contentType: "text/javascript; charset=utf-8" });
    expect(await ask("/assets/index-abc.css")).toMatchObject({ contentType: "text/css; charset=utf-8" });
  });

  it("may run and load nothing but one another, and stand in no frame", async () => {
    const { headers } = await asking(built())("/");
    const policy = headers?.["Content-Security-Policy"] ?? "";
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  it.each([
    "/index.html",
    "/secret.html",
    "/assets/",
    "/assets/notes.txt",
    "/assets/../secret.html",
    "/assets/%2e%2e/secret.html",
    "/assets",
  ])("are all that can be had: not %s", async (path) => {
    expect((await asking(built())(path)).status).toBe(404);
  });

  it("change nothing: POST is not allowed", async () => {
    expect((await asking(built())("/", "POST")).status).toBe(405);
  });

  it("are unknown where they were not built, and nothing else suffers", async () => {
    const ask = asking(pathToFileURL(`${tempDir()}/`));
    expect((await ask("/")).status).toBe(404);
    expect((await ask("/healthz")).status).toBe(200);
  });
});
