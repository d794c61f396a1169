/** Commands as requests, on a server of this process. */
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Clients, closed } from "../../src/report/http/clients.ts";
import { CommandError, openControlRoutes } from "../../src/report/http/control.ts";
import { openRoutes } from "../../src/report/http/routes.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { type Answer, ended, openSocket, serving } from "./endpoint.ts";
import { ORDERS, testBoard } from "./records.ts";

async function obeying(slowClientMs?: number) {
  const { board } = testBoard([ORDERS]);
  const others = openRoutes(
    { board, metrics: openMetrics(board), isReady: () => true },
    { hosts: [], token: undefined },
  );
  const control = {
    about: () => ({ pid: 7 }),
    commands: {
      greet: ({ whom }: Readonly<Record<string, unknown>>) => ({ said: `hello ${String(whom)}` }),
      refuse: () => {
        throw new CommandError("not today; try tomorrow");
      },
      fail: () => Promise.reject(new Error("a fault")),
    },
  };
  const server = new Clients(board, openControlRoutes(control, others), slowClientMs).server();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => closed(server));
  const { port } = server.address() as AddressInfo;
  const send = (method: string, path: string, body = ""): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const request = httpRequest({ port, path, method, agent: false }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      });
      request.on("error", reject);
      request.end(body);
    });
  return { send, port };
}

describe("DESIGN 7.12: commands as requests", () => {
  it.each([
    ["POST", "/control/greet", '{"whom":"you"}', 200, '{"said":"hello you"}'],
    ["POST", "/control/greet", "", 200, '{"said":"hello undefined"}'],
    ["POST", "/control/refuse", "{}", 409, '{"error":"not today; try tomorrow"}'],
    ["POST", "/control/fail", "{}", 500, '{"error":"a fault"}'],
    ["POST", "/control/greet", "[]", 409, '{"error":"the arguments of a command are a JSON object"}'],
    ["POST", "/control/greet", "{", 409, '{"error":"the arguments of a command are a JSON object"}'],
    ["GET", "/control/greet", "", 405, '{"error":"a command is a POST"}'],
    ["POST", "/control/constructor", "{}", 404, /no command ..constructor/],
    ["POST", "/control/", "{}", 404, /no command ..../],
    ["GET", "/control", "", 200, '{"pid":7}'],
    ["POST", "/control", "{}", 404, /no such path/],
    ["POST", "/api/status", "{}", 405, /read only/],
    ["GET", "/healthz", "", 200, /"ok":true/],
  ] as const)("answers %s %s %s with %i", async (method, path, body, status, said) => {
    const { send } = await obeying();
    const answer = await send(method, path, body);
    expect(answer.status).toBe(status);
    if (typeof said === "string") expect(answer.body).toBe(`${said}\n`);
    else expect(answer.body).toMatch(said);
  });

  it("takes no more of a command than any has", async () => {
    const { send } = await obeying();
    expect((await send("POST", "/control/greet", `{"whom":"${"x".repeat(60_000)}"}`)).status).toBe(200);
    const tooLong = await send("POST", "/control/greet", `{"whom":"${"x".repeat(70_000)}"}`);
    expect(tooLong.status).toBe(413);
    expect(tooLong.body).toContain("at most 65536 bytes");
  });

  it.each(["POST /control/greet HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{", "POST /control/gr", ""])(
    "waits no longer for the rest of %j than for any client",
    async (sends) => {
      const { send, port } = await obeying(200);
      const socket = await openSocket(port);
      socket.write(sends);
      await ended(socket);
      expect((await send("POST", "/control/greet", "{}")).status).toBe(200);
    },
  );

  it("has nothing to be told at the endpoint", async () => {
    const { get } = await serving();
    expect((await get("/control")).status).toBe(404);
    expect((await get("/control/greet", "POST")).status).toBe(404);
  });
});
