/**
 * Where broker and management API are, taken apart once, so that credentials never travel in a URL that somebody might
 * print. DESIGN 7.1.
 */
import { decoded } from "../../model/redact.ts";
import { RabbitError } from "./errors.ts";

interface Credentials {
  readonly username: string;
  readonly password: string;
}

export interface BrokerAddress extends Credentials {
  readonly tls: boolean;
  readonly host: string;
  readonly port: number;
  readonly vhost: string;
}

export interface ManagementAddress extends Credentials {
  readonly tls: boolean;
  readonly host: string;
  readonly port: number;
  /** What a proxy put before `/api`; empty, or with a slash in front and none behind. */
  readonly prefix: string;
}

/**
 * No path and a bare slash both mean the vhost `/`. By the letter of AMQP's URI scheme the slash would name a vhost without a
 * name, which nobody has.
 *
 * @throws RabbitError when it is no such URL
 */
export function brokerAddress(connection: string): BrokerAddress {
  const url = parsed(connection, "queue_connection", ["amqp:", "amqps:"]);
  const tls = url.protocol === "amqps:";
  const vhost = decoded(url.pathname.slice(1));
  return {
    tls,
    host: hostOf(url),
    port: portOf(url, tls ? 5671 : 5672),
    vhost: vhost === "" ? "/" : vhost,
    ...(credentialsOf(url) ?? { username: "guest", password: "guest" }),
  };
}

/** @throws RabbitError when it is no such URL */
export function managementAddress(broker: BrokerAddress, managementUrl?: string): ManagementAddress {
  const { username, password } = broker;
  if (managementUrl === undefined) {
    const { tls, host } = broker;
    return { tls, host, port: tls ? 15671 : 15672, prefix: "", username, password };
  }
  const url = parsed(managementUrl, "management_url", ["http:", "https:"]);
  const tls = url.protocol === "https:";
  return {
    tls,
    host: hostOf(url),
    port: portOf(url, tls ? 443 : 80),
    prefix: url.pathname.replace(/\/+$/, ""),
    ...(credentialsOf(url) ?? { username, password }),
  };
}

export const brokerName = ({ tls, host, port }: BrokerAddress): string =>
  `${tls ? "amqps" : "amqp"}://${bracketed(host)}:${port}`;

export const managementName = ({ tls, host, port, prefix }: ManagementAddress): string =>
  `${tls ? "https" : "http"}://${bracketed(host)}:${port}${prefix}`;

function parsed(text: string, key: string, schemes: readonly string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && schemes.includes(url.protocol) && url.hostname !== "") return url;
  const [scheme = ""] = schemes;
  throw new RabbitError("other", `${key} is no URL of a broker`, `it looks like ${scheme}//USER:PASSWORD@HOST:PORT`);
}

const portOf = (url: URL, fallback: number): number => (url.port === "" ? fallback : Number(url.port));

/** Sockets want an IPv6 address without the brackets that a URL needs. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, "$1");

const bracketed = (host: string): string => (host.includes(":") ? `[${host}]` : host);

function credentialsOf({ username, password }: URL): Credentials | undefined {
  if (username === "" && password === "") return undefined;
  return { username: decoded(username), password: decoded(password) };
}
