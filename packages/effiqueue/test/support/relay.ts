/** A port that leads to another one, and can be shut as if nobody were there. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface Relay {
  readonly port: number;
  open(): Promise<void>;
  /** New connections are refused, those that stand are cut. */
  shut(): Promise<void>;
}

/** Shut at first. */
export async function relayTo(target: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  const join = (from: Socket): void => {
    const to = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    from.pipe(to).pipe(from);
  };
  let server: Server | undefined;
  const listen = async (port: number): Promise<number> => {
    server = createServer(join).listen(port, "127.0.0.1");
    await new Promise((resolve, reject) => server?.once("listening", resolve).once("error", reject));
    return (server.address() as AddressInfo).port;
  };
  const shut = async (): Promise<void> => {
    const closing = server;
    server = undefined;
    if (closing === undefined) return;
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => closing.close(resolve));
  };
  const port = await listen(0);
  await shut();
  onTestFinished(shut);
  return { port, shut, open: () => listen(port).then(() => undefined) };
}
