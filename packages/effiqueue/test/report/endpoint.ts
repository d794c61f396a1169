/** The endpoint in this process, on a board of the test, and clients that ask it. */
import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { connect, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { type ServeOptions, type StatusServer, serveStatus } from "../../src/report/http/server.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { MAIL, ORDERS, type TestBoard, testBoard } from "./records.ts";

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Running extends TestBoard {
  readonly server: StatusServer;
  readonly get: (path: string, method?: string, headers?: OutgoingHttpHeaders) => Promise<Answer>;
  readonly port: number;
}

export const portOf = (address: string): number => Number(/:(\d+)$/.exec(address)?.[1]);

export async function serving(
  options: Partial<Omit<ServeOptions, "board">> & { board?: TestBoard } = {},
): Promise<Running> {
  const {
    board: onBoard = testBoard([ORDERS, MAIL]),
    address = "127.0.0.1:0",
    isReady = () => true,
    ...rest
  } = options;
  const { board } = onBoard;
  const server = await serveStatus({ board, metrics: openMetrics(board), address, isReady, ...rest });
  onTestFinished(() => server.close());
  const port = portOf(server.address);
  const get: Running["get"] = (path, method = "GET", headers = {}) => ask({ port, path, method, headers });
  return { ...onBoard, server, get, port };
}

interface To {
  readonly port: number;
  readonly path: string;
  readonly method: string;
  readonly host?: string;
  readonly headers?: OutgoingHttpHeaders;
}

export function ask(to: To): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: "127.0.0.1", ...to, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    request.on("error", reject);
    request.end();
  });
}

export const parsed = ({ body }: Answer): unknown => JSON.parse(body);

export function openSocket(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
    socket.once("error", reject);
    onTestFinished(() => void socket.destroy());
  });
}

/** Resolves when the other side has ended the connection. */
export const ended = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    socket.on("error", () => undefined);
    socket.once("close", () => resolve());
    socket.resume();
  });
