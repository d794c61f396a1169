/** DESIGN 6.6: connections are read in pieces, and are sockets to the server all the same. */
import { EventEmitter, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { readInPieces } from "../../src/report/http/connection.ts";

const GET = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
const LAST = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
const MEGABYTE = 1024 * 1024;

async function clientOf(serve: RequestListener, timeoutMs = 10_000): Promise<Socket> {
  const server = createServer(serve).listen(0, "127.0.0.1");
  readInPieces(server);
  server.setTimeout(timeoutMs);
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
    server.closeAllConnections();
  });
  await once(socket, "connect");
  return socket;
}

const bodyOf = (answer: string): string => answer.slice(answer.indexOf("\r\n\r\n") + 4);

describe("DESIGN 6.6: a connection that is read in pieces", () => {
  it("makes no requests of what a cut connection had sent", async () => {
    let requests = 0;
    const socket = await clientOf(({ socket: its }) => {
      requests += 1;
      its.destroy();
    });
    socket.resume().write(GET.repeat(1_000));
    await once(socket, "close");
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThan(60);
  });

  it("answers one after the other", async () => {
    let requests = 0;
    const socket = await clientOf((_, response) => void response.end(`answer ${++requests}.`));
    socket.write(GET.repeat(99) + LAST);
    const answers = await text(socket);
    expect(answers.match(/answer \d+\./g)).toEqual(Array.from({ length: 100 }, (_, i) => `answer ${i + 1}.`));
  });

  it("takes a body and an answer of many pieces whole", async () => {
    const body = Array.from({ length: MEGABYTE / 8 }, (_, i) => String(i).padStart(8)).join("");
    const socket = await clientOf((request, response) => void text(request).then((sent) => response.end(sent)));
    socket.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    const answer = await text(socket);
    expect(bodyOf(answer) === body).toBe(true);
  });

  it("answers who has closed its side", async () => {
    const socket = await clientOf((_, response) => void response.end("all the same"));
    socket.end(GET);
    expect(bodyOf(await text(socket))).toBe("all the same");
  });

  it("tells the server of a client that is gone", async () => {
    const closed = new EventEmitter();
    const socket = await clientOf((_, response) => {
      response.once("close", () => closed.emit("close"));
      response.write("the first part");
    });
    socket.write(GET);
    await once(socket, "data");
    socket.resetAndDestroy();
    await once(closed, "close");
  });

  it("holds an answer back from who does not read, and ends with it", async () => {
    const closed = new EventEmitter();
    const socket = await clientOf((_, response) => {
      const wasTaken = response.write(Buffer.alloc(16 * MEGABYTE));
      response.once("close", () => closed.emit("close", wasTaken));
    }, 200);
    socket.pause().write(GET);
    expect(await once(closed, "close")).toEqual([false]);
  });
});
