/**
 * The status endpoint: bound before any worker exists, so that an address that cannot be had ends the start and not the night.
 * DESIGN 6.5.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { parseAddress } from "../../model/kinds.ts";
import type { Page } from "../dashboard/page.ts";
import { Clients, closed } from "./clients.ts";
import { ListenError, listenError } from "./errors.ts";
import { openRoutes, type Served } from "./routes.ts";

export interface ServeOptions extends Served {
  /** `HOST:PORT`, `[::1]:PORT`, or `:PORT` for every interface; port 0 takes any free one. */
  readonly address: string;
  /** Names that browsers may ask it by, beside those of loopback, addresses, and the host of `address`. */
  readonly hosts?: readonly string[] | undefined;
  /** Wanted as `Authorization: Bearer` for everything that has figures. Default: nobody is asked. */
  readonly token?: string | undefined;
  /** The dashboard. Default: the one that the build left in this package. */
  readonly page?: Page;
  /** What a client has to send its request, and to take each part of the answer. Default: 10 s. */
  readonly slowClientMs?: number;
}

export interface StatusServer {
  /** Where it listens, with the port that it got. */
  readonly address: string;
  /** Ends at once, open connections and all. Harmless twice. */
  close(): Promise<void>;
}

/** @throws ListenError naming the address and the remedy */
export async function serveStatus(options: ServeOptions): Promise<StatusServer> {
  const { address, hosts = [], token, slowClientMs } = options;
  const parsed = parseAddress(address);
  if (parsed === undefined) {
    throw new ListenError(address, 'expected HOST:PORT such as "127.0.0.1:9464", "[::1]:9464", or ":9464"');
  }
  const routes = openRoutes(options, { hosts: [parsed.host, ...hosts], token }, options.page);
  const server = new Clients(options.board, routes, slowClientMs).server();
  await listening(server, parsed, address);
  // A connection that fails is its client's concern; without a listener it would be the daemon's end.
  server.on("error", () => undefined);
  return { address: shown(server.address() as AddressInfo), close: () => closed(server) };
}

function listening(server: Server, { host, port }: { host: string; port: number }, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(listenError(address, error));
    server.once("error", failed);
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => {
      server.off("error", failed);
      resolve();
    });
  });
}

const shown = ({ address, family, port }: AddressInfo): string =>
  family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
