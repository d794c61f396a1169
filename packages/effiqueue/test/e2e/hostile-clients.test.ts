/** Clients that do everything wrong, against the endpoint of a daemon that has ticks to do. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { until } from "../support/until.ts";

const TICKS = 30;
const GET = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

const rssMb = ({ pid }: DaemonProcess): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** As long as it is not refused it stays, and does what it is told once. */
function client(port: number, sends: string | Buffer, reads: boolean): Socket {
  const socket = connect(port, "127.0.0.1", () => socket.write(sends));
  socket.on("error", () => undefined);
  if (reads) socket.resume();
  else socket.pause();
  return socket;
}

const KINDS: readonly (readonly [what: string, sends: () => string | Buffer, reads: boolean])[] = [
  ["says nothing", () => "", true],
  ["sends garbage", () => randomBytes(4_096), true],
  ["follows and reads nothing", () => GET("/api/events"), false],
  ["asks a thousand times and reads nothing", () => GET("/metrics").repeat(1_000), false],
  ["never ends its headers", () => "GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", true],
  [
    "sends a body without end",
    () => `POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999\r\n\r\n${"x".repeat(60_000)}`,
    true,
  ],
];

describe("DESIGN 6.6: whatever clients do", () => {
  it("ticks go on, memory stays, and those who behave are served again", { timeout: 120_000 }, async () => {
    const daemon = daemonOn(`
queue_connection = "amqp://127.0.0.1:1"
management = false
queue_name = "work"
command = "sleep 600"
min_workers = 2
max_workers = 4
slo_drain_time = "30s"
poll_interval = "200ms"
metrics_addr = "127.0.0.1:0"
stdout = "null"
stderr = "null"
`).run("--log-level", "debug");
    const url = await daemon.url();
    const port = Number(new URL(url).port);
    const ticks = (): number => daemon.lines("loop.tick.decided").length;
    // What is loaded late is there.
    for (let i = 0; i < 20; i += 1) await (await fetch(`${url}/metrics`)).text();
    await daemon.waitFor(() => ticks() > 10, "a warm daemon");
    const [rssBefore, from] = [rssMb(daemon), ticks()];

    const sockets = new Set<Socket>();
    let opened = 0;
    const open = (): void => {
      const [, sends, reads] = KINDS[opened % KINDS.length] ?? ["", () => "", true];
      const socket = client(port, sends(), reads);
      opened += 1;
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
    };
    // A thousand at once, and again whoever was refused.
    const timer = setInterval(() => {
      while (sockets.size < 1_000 && opened < 20_000) open();
    }, 50);
    onTestFinished(() => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    });
    let most = 0;
    await daemon.waitFor(() => {
      most = Math.max(most, rssMb(daemon));
      return ticks() - from > TICKS;
    }, `${TICKS} ticks`);
    expect(opened).toBeGreaterThan(1_000);
    // It takes some five; a request made of each that a cut connection had sent would be thirty, one answer kept for each hundreds.
    expect(most - rssBefore).toBeLessThan(20);

    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await fetch(`${url}/api/status`)).status === 200);
    expect(await daemon.stop()).toBe(0);
  });
});
