// Between clients and a server of 127.0.0.1: cuts all connections, and those that come; refuses those that come, as a port without a listener;
// or takes everything and answers nothing.
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
  const listen = (port) =>
    new Promise((resolve, reject) => {
      server.once("error", reject).listen(port, "127.0.0.1", () => resolve(server.off("error", reject)));
    });
  const end = () => new Promise((resolve) => server.close(resolve));
  await listen(0);
  const { port } = server.address();
  const turn = async (to) => {
    mode = to;
    const isHeard = to !== "refuse";
    const ended = server.listening && !isHeard ? end() : undefined;
    if (to !== "pass") for (const socket of sockets) socket.destroy();
    await ended;
    if (isHeard && !server.listening) await listen(port);
  };
  return { port, turn, close: () => void turn("cut").finally(end) };
}
