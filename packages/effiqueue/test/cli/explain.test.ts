import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveStatus } from "../../src/report/http/server.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { ORDERS, RECORD, testBoard } from "../report/records.ts";
import { tempDir } from "../support/temp-dir.ts";
import { runHere } from "./run-here.ts";

/** The address of an endpoint that knows one tick of the program `orders`. */
async function endpoint(token?: string, program = "orders"): Promise<string> {
  const { board } = testBoard([{ ...ORDERS, name: program }]);
  board.ticked({ ...RECORD, program });
  const address = "127.0.0.1:0";
  const server = await serveStatus({ board, metrics: openMetrics(board), address, isReady: () => true, token });
  onTestFinished(() => server.close());
  return server.address;
}

function configWith(line: string): string {
  const file = join(tempDir(), "effiqueue.toml");
  const text = `command = "x"\nqueue_connection = "amqp://localhost"\nqueue_name = "orders"\nmax_workers = 2\nslo_drain_time = 9\n`;
  writeFileSync(file, text + line);
  return file;
}

describe("DESIGN 7.9: explain", () => {
  it("finds the daemon by its configuration and says why", async () => {
    const address = await endpoint();
    const file = configWith(`metrics_addr = "${address}"\n`);
    const { code, stdout, stderr } = await runHere("explain", "--config", file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^orders \(mode slo\)[^]*54 .*missing/);
    expect((await runHere("explain", "orders", "--url", `http://${address}`)).stdout).toBe(stdout);
  });

  it("needs no password of the configuration that names the daemon", async () => {
    const file = configWith(`metrics_addr = "${await endpoint()}"\non_event = "https://h/\${NOBODY_HAS_SET_THIS}"\n`);
    expect(await runHere("explain", "--config", file)).toMatchObject({ code: 0, stderr: "" });
  });

  it("lets no name command the terminal, and tells programs what it is", async () => {
    const url = `http://${await endpoint(undefined, "or\u001b[31mders\u202e")}`;
    expect((await runHere("explain", "--url", url)).stdout).toContain("or\\x1b[31mders\\u{202e} (mode slo)");
    const { stderr } = await runHere("explain", "no\u001b[31m", "--url", url);
    expect(stderr).toMatch(/has no program "no.*, it has "or.*ders/);
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
    const { stdout } = await runHere("explain", "--url", url, "--json");
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify("or\u001b[31mders\u202e"));
  });

  it("shows the token that the daemon asks for, and says so when it has none", async () => {
    const address = await endpoint("0123456789abcdef");
    const tokenFile = join(tempDir(), "token");
    writeFileSync(tokenFile, "0123456789abcdef\n", { mode: 0o600 });
    const file = configWith(`metrics_addr = "${address}"\nmetrics_token_file = "${tokenFile}"\n`);
    const { code, stdout } = await runHere("explain", "--config", file);
    expect(code).toBe(0);
    const url = `http://${address}`;
    expect((await runHere("explain", "--url", url, "--token-file", tokenFile)).stdout).toBe(stdout);
    const refused = await runHere("explain", "--url", url);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("send the token of its metrics_token_file");
    expect((await runHere("explain", "--url", url, "--token-file", `${tokenFile}.old`)).code).toBe(78);
  });

  it("prints the decisions as JSON, as many as are asked for", async () => {
    const address = await endpoint();
    const { stdout } = await runHere("explain", "orders", "--url", `http://${address}/`, "--limit", "3", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ programs: [{ program: "orders", decisions: [{ neededWorkers: 78 }] }] });
  });

  it.each<[string, (address: string) => string[], number, string]>([
    [
      "a daemon without an endpoint",
      () => ["--config", configWith("")],
      1,
      'has no metrics_addr (such as metrics_addr = "127.0.0.1:9464" above the first [[program]]); no daemon runs',
    ],
    [
      "a daemon at any free port",
      () => ["--config", configWith('metrics_addr = "127.0.0.1:0"')],
      1,
      "take the one that the daemon's first line names, --url http://HOST:PORT; no daemon runs with its state in",
    ],
    [
      "a state folder without a daemon",
      () => ["--state-dir", "/nowhere"],
      69,
      "no daemon runs with its state in /nowhere; if one does elsewhere, name its folder: --state-dir FOLDER, which systemd units have in /var/lib; or give its address: --url http://HOST:PORT",
    ],
    [
      "a token for nobody",
      () => ["--token-file", "token"],
      64,
      "name the daemon: --config FILE, or --url http://HOST:PORT",
    ],
    [
      "an unknown program",
      (a) => ["ordrs", "--url", `http://${a}`],
      1,
      'has no program "ordrs", did you mean "orders"?',
    ],
    [
      "nobody there",
      () => ["--url", "http://127.0.0.1:1"],
      1,
      "http://127.0.0.1:1: nobody listens there; does the daemon run",
    ],
    ["neither a file nor a URL", () => [], 69, "or give its address: --url http://HOST:PORT"],
    ["what is no URL", () => ["--url", "127.0.0.1:9464"], 64, "Expected a URL such as http://127.0.0.1:9464."],
    ["no limit", (a) => ["--url", `http://${a}`, "--limit", "0"], 64, "Expected a whole number of at least 1."],
  ])("%s: one line with the remedy", async (_, args, exitCode, message) => {
    const { code, stdout, stderr } = await runHere("explain", ...args(await endpoint()));
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
    expect(stderr).toMatch(/^effiqueue: [^\n]+\n$/);
    expect(stderr).toContain(message);
  });

  it("tells another server from the daemon", async () => {
    const server = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const { code, stderr } = await runHere("explain", "--url", `http://127.0.0.1:${port}`);
    expect(code).toBe(1);
    expect(stderr).toContain("answers 200 and no JSON to /api/status; is it effiqueue's metrics_addr?");
  });
});
