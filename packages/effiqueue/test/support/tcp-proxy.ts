/** Stands between a client and a server, and plays a port that closes, comes back, or swallows everything. */
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface TcpProxy {
  readonly port: number;
  /** Breaks what is open and refuses what comes. */
  cut(): Promise<void>;
  /** Takes everything and answers nothing. */
  swallow(): void;
  /** As in the beginning, on the same port. */
  mend(): Promise<void>;
}

/** On a loopback address, in front of a port of 127.0.0.1; goes with the test. */
export async function tcpProxy(to: number, host = "127.0.0.1"): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  const server = createServer((client) => {
    keep(client);
    if (isSwallowing) return void client.resume();
    const upstream = connect(to, "127.0.0.1");
    keep(upstream);
    client.pipe(upstream).pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => undefined);
  };
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.removeAllListeners("error").once("error", reject);
      server.listen(port, host, resolve);
    });
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      breakAll();
    });
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  onTestFinished(() => {
    if (server.listening) void cut();
  });
  return {
    port,
    cut,
    swallow: () => {
      isSwallowing = true;
      breakAll();
    },
    mend: async () => {
      isSwallowing = false;
      if (!server.listening) await listen(port);
    },
  };
}
