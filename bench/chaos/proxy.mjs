// Between clients and a server of 127.0.0.1: cuts all connections and refuses new ones, or takes everything and answers nothing.
import { connect, createServer } from "node:net";

export async function openProxy(to) {
  const sockets = new Set();
  let mode = "pass";
  const keep = (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket)).on("error", () => undefined);
    return socket;
  };
  const server = createServer((client) => {
    keep(client);
    if (mode === "cut") return void client.destroy();
    if (mode === "swallow") return void client.resume();
    const upstream = keep(connect(to, "127.0.0.1"));
    client.pipe(upstream).pipe(client);
    client.once("close", () => upstream.destroy());
    upstream.once("close", () => client.destroy());
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const turn = (to) => {
    mode = to;
    if (to !== "pass") for (const socket of sockets) socket.destroy();
  };
  return { port: server.address().port, turn, close: () => turn("cut") || server.close() };
}
