/**
 * amqplib, with one fault of it mended: what a broker sends in one piece with its last word of the handshake is read before
 * anybody could listen for errors, and an error that nobody listens for ends the process. DESIGN 7.3.
 */
import { createRequire } from "node:module";

/** Of its internals, which its exact version in `package.json` holds in place. */
interface ConnectionModule {
  readonly Connection: { readonly prototype: { acceptLoop: (this: object) => void } };
}

const mended = new WeakSet<object>();

/** Nine megabytes that a daemon with a management API never needs. */
export async function loadAmqplib(): Promise<typeof import("amqplib")> {
  const amqplib = await import("amqplib");
  const inside = createRequire(createRequire(import.meta.url).resolve("amqplib"));
  const { prototype } = (inside("./lib/connection.js") as ConnectionModule).Connection;
  if (!mended.has(prototype)) listenFirst(prototype);
  return amqplib;
}

/** Who opened the connection has it, and listens, before the next turn of the event loop. */
function listenFirst(prototype: ConnectionModule["Connection"]["prototype"]): void {
  const { acceptLoop } = prototype;
  prototype.acceptLoop = function later() {
    setImmediate(() => acceptLoop.call(this));
  };
  mended.add(prototype);
}
