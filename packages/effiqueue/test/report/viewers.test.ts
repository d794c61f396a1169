import { type ClientRequest, request as httpRequest } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import type { StatusReply } from "../../src/report/api-types.ts";
import { until } from "../support/until.ts";
import { waitFor } from "../support/wait-for.ts";
import { ended, openSocket, type Running, serving } from "./endpoint.ts";
import { decided, ORDERS, RECORD, testBoard } from "./records.ts";

interface Viewer {
  readonly request: ClientRequest;
  readonly status: number | undefined;
  readonly contentType: string | undefined;
  /** What it was told, oldest first. */
  readonly told: () => StatusReply[];
  readonly text: () => string;
  readonly isOver: () => boolean;
}

function follow({ port }: Running): Promise<Viewer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", port, path: "/api/events", agent: false }, (response) => {
      let text = "";
      let isOver = false;
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("close", () => (isOver = true));
      response.on("error", () => undefined);
      resolve({
        request,
        status: response.statusCode,
        contentType: response.headers["content-type"],
        text: () => text,
        told: () => [...text.matchAll(/^data: (.+)\n\n/gm)].map(([, data]) => JSON.parse(data ?? "") as StatusReply),
        isOver: () => isOver,
      });
    });
    request.on("error", reject);
    request.end();
    onTestFinished(() => void request.destroy());
  });
}

const desiredOf = (reply: StatusReply | undefined): number | undefined => reply?.programs[0]?.decision?.desiredWorkers;

describe("DESIGN 6.6: following the status", () => {
  it("tells how it is at once, and again after each tick", async () => {
    const running = await serving({ board: testBoard() });
    running.board.ticked(decided({ desired: 3 }));
    const viewer = await follow(running);
    expect(viewer.contentType).toBe("text/event-stream; charset=utf-8");
    await waitFor(() => desiredOf(viewer.told()[0]) === 3);
    running.board.ticked(decided({ desired: 4 }));
    await waitFor(() => desiredOf(viewer.told()[1]) === 4);
    expect(viewer.text()).toMatch(/^event: status\ndata: .*\n\nevent: status\ndata: .*\n\n$/);
  });

  it("takes ticks that come together for one", async () => {
    const running = await serving({ board: testBoard() });
    const viewer = await follow(running);
    for (let desired = 0; desired < 50; desired += 1) running.board.ticked(decided({ desired }));
    await waitFor(() => desiredOf(viewer.told().at(-1)) === 49);
    expect(viewer.told()).toHaveLength(2);
  });

  it("tells of a pool that was lost", async () => {
    const running = await serving({ board: testBoard() });
    const viewer = await follow(running);
    running.board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 1, adopted: true });
    await waitFor(() => viewer.told().at(-1)?.programs[0]?.state === "lost");
  });

  it("breaks a long silence, so that a client knows a daemon that is gone from one that has nothing to say", async () => {
    const running = await serving({ slowClientMs: 200 });
    const viewer = await follow(running);
    await waitFor(() => viewer.text().split("\n:\n").length > 4);
    expect(viewer.isOver()).toBe(false);
  });

  it("refuses the twenty-first, and takes one again when another has gone", async () => {
    const running = await serving();
    const viewers = await Promise.all(Array.from({ length: 20 }, () => follow(running)));
    expect(viewers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    expect((await running.get("/api/events")).status).toBe(503);
    expect((await running.get("/api/status")).status).toBe(200);
    viewers[0]?.request.destroy();
    await until(async () => {
      const again = await follow(running);
      if (again.status !== 200) again.request.destroy();
      return again.status === 200;
    });
  });

  it("ends with the daemon", async () => {
    const running = await serving();
    const viewer = await follow(running);
    await running.server.close();
    await waitFor(viewer.isOver);
  });
});

describe("DESIGN 6.6: clients that take what they can", () => {
  const LONG_NAME = "x".repeat(300_000);
  /** A board whose status is large, so that a socket is full soon. */
  const bulky = () => testBoard([{ ...ORDERS, name: LONG_NAME }]);

  it("hangs up on one who follows and does not read, and the others get everything", async () => {
    const running = await serving({ board: bulky(), slowClientMs: 1_000 });
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(running.port)));
    const [stalled, ...reading] = sockets;
    stalled?.pause();
    let taken = 0;
    for (const socket of reading) socket.on("data", ({ length }) => (taken += length));
    for (const socket of sockets) socket.write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await waitFor(() => taken > 0);
    expect((await running.get("/api/events", "GET")).status).toBe(503);
    const timer = setInterval(() => running.board.ticked({ ...RECORD, program: LONG_NAME }), 50);
    onTestFinished(() => clearInterval(timer));
    // Its place is free: the system's buffers for it were full, and nothing had moved for a second.
    await until(async () => {
      const next = await follow(running);
      if (next.status !== 200) next.request.destroy();
      return next.status === 200;
    });
    expect(reading.filter(({ destroyed }) => destroyed)).toEqual([]);
    for (const socket of sockets) socket.destroy();
  });

  it("hangs up on one that sends the next request before it took the last answer", async () => {
    const running = await serving();
    const socket = await openSocket(running.port);
    socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_500));
    await ended(socket);
    expect((await running.get("/healthz")).status).toBe(200);
  });

  it("serves one request after the other on a connection that is kept", async () => {
    const { port } = await serving();
    const socket = await openSocket(port);
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    for (let count = 1; count <= 20; count += 1) {
      socket.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      await waitFor(() => text.split('{"ok"').length === count + 1);
    }
    expect(socket.destroyed).toBe(false);
  });

  it("keeps no more than sixteen megabytes of answers that are not taken, for all clients together", async () => {
    const running = await serving({
      board: testBoard([{ ...ORDERS, name: "x".repeat(6_000_000) }]),
      slowClientMs: 60_000,
    });
    const lazy = await Promise.all(Array.from({ length: 3 }, () => openSocket(running.port)));
    for (const socket of lazy) {
      socket.pause();
      socket.write("GET /api/status HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    await until(async () => (await running.get("/api/status")).status === 503);
    expect((await running.get("/healthz")).status).toBe(200);
    for (const socket of lazy) socket.destroy();
    await until(async () => (await running.get("/api/status")).status === 200);
  });
});
