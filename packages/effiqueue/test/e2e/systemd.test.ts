/** The daemon as a service: real messages by the command of systemd, to a socket that stands for it. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { daemonOn } from "../support/daemon-process.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const PYTHON = "/usr/bin/python3";
const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;
const hasSystemd = succeeds("systemd-notify", "--version") && succeeds(PYTHON, "--version");

const CONFIG = `
command = "sleep 1000"
poll_interval = "100ms"
queue_connection = "amqp://127.0.0.1:1"
queue_name = "orders"
management = false
mode = "threshold"
min_workers = 1
max_workers = 1
`;

/** What systemd would have been told so far. */
async function listener(): Promise<{ socket: string; messages: Record<string, string>[] }> {
  const socket = join(tempDir(), "notify");
  const script = fileURLToPath(new URL("../fixtures/notify-socket.py", import.meta.url));
  const child = spawn(PYTHON, [script, socket], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: Record<string, string>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    messages.push(JSON.parse(line) as Record<string, string>);
  });
  await waitFor(() => messages.length > 0, { what: "a listener" });
  messages.length = 0;
  return { socket, messages };
}

describe.runIf(hasSystemd)("DESIGN 7.17: a service of systemd", () => {
  it("is ready after the first tick, gives signs of life, and says that it stops; its workers say nothing", async () => {
    const { socket, messages } = await listener();
    const watchdog = { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "600000" };
    const daemon = daemonOn(CONFIG, "effiqueue.toml", watchdog).run();
    const [worker = 0] = await daemon.workersOf(1);
    await waitFor(() => messages.filter((each) => each["WATCHDOG"] === "1").length >= 3, {
      what: "signs of life",
      timeoutMs: 30_000,
    });
    expect(messages.findIndex((each) => each["READY"] === "1")).toBe(0);
    expect(messages[0]?.["STATUS"]).toMatch(/^orders: /);
    expect(readFileSync(`/proc/${worker}/environ`, "latin1")).not.toMatch(/NOTIFY_SOCKET|WATCHDOG/);
    expect(await daemon.stop()).toBe(0);
    await waitFor(() => messages.some((each) => each["STOPPING"] === "1"), { what: "the word of the stop" });
    expect(messages.at(-1)).toEqual({ STOPPING: "1", STATUS: "workers drain" });
    expect(daemon.lines("app.service.unreachable")).toEqual([]);
  });

  it("runs on where nobody listens, and says so once", async () => {
    const daemon = daemonOn(CONFIG, "effiqueue.toml", {
      NOTIFY_SOCKET: join(tempDir(), "nobody"),
      WATCHDOG_USEC: "100000",
    }).run();
    await daemon.logged("app.service.unreachable");
    const warnings = daemon.lines("app.config.warned").map(({ text }) => text);
    expect(warnings).toContainEqual(
      expect.stringMatching(/^WatchdogSec is 0\.1 s, and the daemon ticks every 0\.1 s: /),
    );
    expect(await daemon.stop()).toBe(0);
    expect(daemon.lines("app.service.unreachable")).toHaveLength(1);
  });
});
