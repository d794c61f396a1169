/** The daemon inside a program of somebody else. */
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { ListenError, loadConfig, ProgramLockedError, startDaemon, TokenFileError } from "effiqueue/daemon";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAlive } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

interface Line {
  readonly event?: string;
  readonly pid?: number;
  readonly error?: string;
}

function setup() {
  const dir = tempDir();
  const file = join(dir, "effiqueue.toml");
  const text = `command = "sleep 600"
queue_connection = "amqp://app:s3cret-word@127.0.0.1:1"
queue_name = "work"
min_workers = 2
max_workers = 4
slo_drain_time = "30s"
stdout = "null"
stderr = "null"
`;
  writeFileSync(file, text);
  const lines: Line[] = [];
  const log = (fields: object): void => void lines.push(fields);
  const logger = { debug: log, info: log, warn: log, error: log };
  const start = async (options = {}) => {
    const daemon = await startDaemon(loadConfig(file), { logger, stateDir: join(dir, "state"), ...options });
    onTestFinished(() => daemon.kill());
    return daemon;
  };
  return {
    start,
    file,
    lines,
    pids: () => lines.flatMap(({ event, pid }) => (event === "act.worker.spawned" ? (pid ?? []) : [])),
  };
}

describe("DESIGN 7.9: the daemon in a program", () => {
  it("runs until it is stopped, and has ended when nothing of it is left", async () => {
    const { start, lines, pids } = setup();
    const daemon = await start({ metricsAddr: "127.0.0.1:0" });
    await waitFor(() => pids().length === 2);
    const status = async (path: string): Promise<number> =>
      (await fetch(`http://${daemon.metricsAddr ?? ""}${path}`)).status;
    expect(await status("/healthz")).toBe(200);

    const stopped = daemon.stop("enough");
    expect(daemon.stop("again")).toBe(stopped);
    await stopped;
    await daemon.ended;
    expect(pids().some(isAlive)).toBe(false);
    await expect(status("/healthz")).rejects.toThrow();
    expect(lines.filter(({ event }) => event === "app.daemon.stopping")).toMatchObject([{ signal: "enough" }]);
    expect(JSON.stringify(lines)).not.toContain("s3cret");
  });

  it("says of a broker that hangs who did not answer, however short the poll", async () => {
    const { start, lines, file } = setup();
    // The look before the loop is to fail at once; the loop's own reading is the one that hangs.
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      if (connections === 1) socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const text = readFileSync(file, "utf8").replace("127.0.0.1:1", `127.0.0.1:${port}`);
    writeFileSync(file, `poll_interval = "1s"\nmanagement = false\n${text}`);
    const daemon = await start();
    const said = (): readonly Line[] => lines.filter(({ event }) => event === "observe.queue.unreadable");
    await waitFor(() => said().length === 2);
    expect(said()[1]?.error).toMatch(/^amqp:\/\/127\.0\.0\.1:\d+ does not answer in time/);
    await daemon.stop("test");
  });

  it("asks for the token of its file, and does not start without it", async () => {
    const { start, file } = setup();
    const token = join(tempDir(), "token");
    writeFileSync(file, `metrics_token_file = "${token}"\n${readFileSync(file, "utf8")}`);
    await expect(start({ metricsAddr: "127.0.0.1:0" })).rejects.toThrow(TokenFileError);
    writeFileSync(token, "0123456789abcdef\n", { mode: 0o600 });
    const daemon = await start({ metricsAddr: "127.0.0.1:0" });
    const url = `http://${daemon.metricsAddr ?? ""}/api/status`;
    expect((await fetch(url)).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: "Bearer 0123456789abcdef" } })).status).toBe(200);
    await daemon.stop("test");
  });

  it("throws what is in its way, and then holds nothing back", async () => {
    const { start, pids } = setup();
    await expect(start({ metricsAddr: "192.0.2.1:9464" })).rejects.toThrow(ListenError);
    const daemon = await start();
    expect(daemon.metricsAddr).toBe(null);
    await expect(start()).rejects.toThrow(ProgramLockedError);
    await waitFor(() => pids().length === 2);
    await daemon.stop("test");
  });
});
