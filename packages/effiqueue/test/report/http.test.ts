import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { DecisionsReply, StatusReply } from "../../src/report/api-types.ts";
import type { Board } from "../../src/report/board.ts";
import { ListenError, listenError } from "../../src/report/http/errors.ts";
import { serveStatus } from "../../src/report/http/server.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { parseExposition } from "../../src/report/metrics/parse.ts";
import { ask, ended, openSocket, parsed, portOf, type Running, serving } from "./endpoint.ts";
import { decided, ORDERS, RECORD, testBoard, UNREAD } from "./records.ts";

describe("DESIGN 6.5: what is served", () => {
  it("gives the metrics with the version of their format", async () => {
    const { get, board } = await serving();
    board.ticked(RECORD);
    const { status, headers, body } = await get("/metrics");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    const backlog = parseExposition(body).find(({ name }) => name === "effiqueue_backlog");
    expect(backlog).toMatchObject({ labels: { program: "orders" }, value: 50_000 });
  });

  it("gives the status as JSON that says infinite where it must", async () => {
    const { get, board } = await serving();
    board.ticked(RECORD);
    const answer = await get("/api/status");
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    const reply = parsed(answer) as StatusReply;
    expect(reply).toMatchObject({ apiVersion: 1, version: "1.2.3", pollIntervalSec: 10 });
    expect(reply.programs.map(({ program, state }) => [program, state])).toEqual([
      ["orders", "running"],
      ["mail", "starting"],
    ]);
    expect(reply.programs[0]?.decision?.gap?.bestDrainSec).toBe("infinite");
  });

  it.each([
    { query: "", counts: { orders: 20, mail: 1 } },
    { query: "?limit=3", counts: { orders: 3, mail: 1 } },
    { query: "?program=orders&limit=1000", counts: { orders: 30 } },
    { query: "?limit=0&program=mail&program=orders", counts: { orders: 0, mail: 0 } },
  ])("gives the last decisions of $query", async ({ query, counts }) => {
    const { get, board } = await serving();
    for (let desired = 0; desired < 30; desired += 1) board.ticked(decided({ desired }));
    board.ticked({ ...RECORD, program: "mail" });
    const { programs } = parsed(await get(`/api/decisions${query}`)) as DecisionsReply;
    expect(Object.fromEntries(programs.map(({ program, decisions }) => [program, decisions.length]))).toEqual(counts);
    if ("orders" in counts && counts.orders > 0) expect(programs[0]?.decisions.at(-1)?.desiredWorkers).toBe(29);
  });

  it("finds a program by a name that has to be encoded", async () => {
    const name = "a?b&c=d/Grüße";
    const { get } = await serving({ board: testBoard([{ ...ORDERS, name }]) });
    expect((await get(`/api/decisions?program=${encodeURIComponent(name)}`)).status).toBe(200);
    expect((await get("/api/decisions?program=a?b%26c%3Dd/Gr%C3%BC%C3%9Fe")).status).toBe(200);
  });

  it.each([
    ["/api/decisions?program=nobody", 404, /no program "nobody"; there are "orders", "mail"/],
    ["/api/decisions?limit=-1", 400, /limit: expected a whole number/],
    ["/api/decisions?limit=many", 400, /limit/],
    ["/nowhere", 404, /there are \/, \/healthz, \/readyz, \/metrics/],
    ["/metrics/", 404, /no such path/],
    ["//metrics", 404, /no such path/],
    ["/api/../metrics", 404, /no such path/],
    ["/toString", 404, /no such path/],
    ["/%6detrics", 404, /no such path/],
  ])("refuses %s with %i", async (path, status, error) => {
    const { get } = await serving();
    const answer = await get(path);
    expect(answer.status).toBe(status);
    expect(parsed(answer)).toEqual({ error: expect.stringMatching(error) as string });
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("changes nothing: %s is not allowed", async (method) => {
    const { get } = await serving();
    const { status, headers } = await get("/api/status", method);
    expect(status).toBe(405);
    expect(headers["allow"]).toBe("GET, HEAD");
  });

  it("answers HEAD as GET, without the body", async () => {
    const { get } = await serving();
    const [head, full] = await Promise.all([get("/healthz", "HEAD"), get("/healthz")]);
    expect(head.status).toBe(200);
    expect(head.body).toBe("");
    expect(head.headers["content-length"]).toBe(full.headers["content-length"]);
  });

  it("invites no other site to read it", async () => {
    const { get } = await serving();
    const { headers } = await get("/api/status");
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    expect(headers["x-content-type-options"]).toBe("nosniff");
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("says 500 when an answer cannot be made, and goes on", async () => {
    const onBoard = testBoard();
    let isBroken = true;
    const status = (): StatusReply => {
      if (isBroken) throw new Error("broken");
      return onBoard.board.status();
    };
    const board: Board = { ...onBoard.board, status };
    const server = await serveStatus({
      board,
      metrics: openMetrics(onBoard.board),
      address: "127.0.0.1:0",
      isReady: () => true,
    });
    onTestFinished(() => server.close());
    const to = { port: portOf(server.address), path: "/api/status", method: "GET" };
    expect((await ask(to)).status).toBe(500);
    isBroken = false;
    expect((await ask(to)).status).toBe(200);
  });
});

describe("DESIGN 6.5: health and readiness", () => {
  it("is healthy while it starts, and while ticks come, whatever they find", async () => {
    const { get, board, clock } = await serving();
    expect((await get("/healthz")).status).toBe(200);
    clock.advance(59_000);
    expect((await get("/healthz")).status).toBe(200);
    board.ticked(RECORD);
    board.ticked({ ...UNREAD, program: "mail" });
    clock.advance(60_000);
    expect((await get("/healthz")).status).toBe(200);
  });

  it("is not healthy once a program has not ticked for three polls and half a minute", async () => {
    const { get, board, clock } = await serving();
    board.ticked(RECORD);
    clock.advance(61_000);
    board.ticked({ ...RECORD, program: "mail" });
    const answer = await get("/healthz");
    expect(answer.status).toBe(503);
    expect(parsed(answer)).toEqual({ ok: false, reasons: ["orders: no tick for 61 s, polls are 10 s apart"] });
  });

  it("is not healthy when the first tick never ends", async () => {
    const { get, clock } = await serving();
    clock.advance(61_000);
    expect((await get("/healthz")).status).toBe(503);
  });

  it("wants no tick of a pool that another process runs", async () => {
    const { get, board, clock } = await serving({ board: testBoard() });
    board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 1, adopted: true });
    clock.advance(3_600_000);
    expect((await get("/healthz")).status).toBe(200);
    expect((await get("/readyz")).body).toContain("orders: another process runs this pool now");
  });

  it("is ready when every queue was read once, and stays so while one cannot be read", async () => {
    const { get, board } = await serving();
    expect((await get("/readyz")).status).toBe(503);
    board.ticked(RECORD);
    board.ticked({ ...UNREAD, program: "mail" });
    const answer = await get("/readyz");
    expect(answer.status).toBe(503);
    expect(parsed(answer)).toEqual({
      ok: false,
      reasons: ["mail: the queue could not be read yet: nobody listens at amqp://***@broker"],
    });
    board.ticked({ ...RECORD, program: "mail" });
    expect((await get("/readyz")).status).toBe(200);
    board.ticked(UNREAD);
    expect((await get("/readyz")).status).toBe(200);
  });

  it("is not ready while the daemon itself says so", async () => {
    const { get, board } = await serving({ board: testBoard(), isReady: () => false });
    board.ticked(RECORD);
    const answer = await get("/readyz");
    expect(answer.status).toBe(503);
    expect(answer.body).toContain("starting or stopping");
  });
});

describe("DESIGN 6.5: where it listens", () => {
  it("takes a free port for port 0, and tells which", async () => {
    const { server, get } = await serving();
    expect(server.address).toMatch(/^127\.0\.0\.1:[1-9]\d*$/);
    expect((await get("/healthz")).status).toBe(200);
  });

  it("listens on every interface without a host", async () => {
    const { server, get } = await serving({ address: ":0" });
    expect(server.address).toMatch(/^(\[::\]|0\.0\.0\.0):[1-9]\d*$/);
    expect((await get("/healthz")).status).toBe(200);
  });

  it("speaks IPv6 where there is any", async ({ skip }) => {
    let running: Running;
    try {
      running = await serving({ address: "[::1]:0" });
    } catch (error) {
      if (error instanceof ListenError && /no such address|kind of address/.test(error.message)) {
        skip("this machine has no [::1]");
      }
      throw error;
    }
    const { server, port } = running;
    expect(server.address).toBe(`[::1]:${port}`);
    expect((await ask({ host: "::1", port, path: "/healthz", method: "GET" })).status).toBe(200);
  });

  it("refuses a port that is taken, naming address and remedy, and takes it once it is free", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", () => resolve()));
    const address = `127.0.0.1:${(other.address() as { port: number }).port}`;
    const { board } = testBoard();
    const open = () => serveStatus({ board, metrics: openMetrics(board), address, isReady: () => true });
    const error: unknown = await open().catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({ code: "listen", address, cause: { code: "EADDRINUSE" } });
    expect(String(error)).toContain(`metrics_addr "${address}": another process listens there: choose another port`);
    await new Promise((resolve) => other.close(resolve));
    const server = await open();
    expect(server.address).toBe(address);
    await server.close();
  });

  it.each([
    // TEST-NET-3: nobody has it.
    ["203.0.113.1:0", /^metrics_addr "203\.0\.113\.1:0": this machine has no such address/],
    ["nonsense", /^metrics_addr "nonsense": expected HOST:PORT/],
    ["127.0.0.1:99999", /expected HOST:PORT/],
    ["127.0.0.1", /expected HOST:PORT/],
  ])("refuses %s", async (address, message) => {
    const { board } = testBoard();
    const options = { board, metrics: openMetrics(board), address, isReady: () => true };
    await expect(serveStatus(options)).rejects.toThrow(message);
  });

  it.each([
    ["EACCES", /choose one above 1023/],
    ["ENOTFOUND", /no host of that name/],
    ["EMFILE", /cannot be listened on \(too many\)/],
  ])("has a remedy for %s", (code, message) => {
    const error = listenError("host:80", Object.assign(new Error("too many"), { code }));
    expect(error.message).toMatch(message);
  });
});

describe("DESIGN 6.5: clients that misbehave", () => {
  it.each([
    ["says nothing", ""],
    ["stops in the middle of its headers", "GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: "],
    ["never sends the body it announced", "POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"],
  ])("hangs up on one that %s", async (_, sent) => {
    const { port } = await serving({ slowClientMs: 200 });
    const socket = await openSocket(port);
    socket.write(sent);
    await ended(socket);
  });

  it("refuses headers without end", async () => {
    const { port } = await serving();
    const socket = await openSocket(port);
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.write(`GET /metrics HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`);
    await ended(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("ends at once, with clients that keep their connection and clients in the middle of a request", async () => {
    const { port, server } = await serving({ slowClientMs: 3_600_000 });
    const idle = await openSocket(port);
    const answered = new Promise((resolve) => idle.once("data", resolve));
    idle.write("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n");
    await answered;
    const slow = await openSocket(port);
    slow.write("GET /metrics HTTP/1.1\r\n");
    const gone = Promise.all([ended(idle), ended(slow)]);
    await server.close();
    await gone;
    await server.close();
    await expect(ask({ port, path: "/healthz", method: "GET" })).rejects.toThrow("ECONNREFUSED");
  });
});
