/**
 * Who may ask. A browser on this machine runs pages of others, and those can reach what listens here: such a page is known by the
 * headers that it cannot set itself. DESIGN 6.6. Pure but for the digest.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

export interface AdmissionRules {
  /** Names that the endpoint is asked by, beside loopback and addresses. */
  readonly hosts: readonly string[];
  /** Wanted of whoever reads figures; `undefined`: nobody is asked. */
  readonly token: string | undefined;
}

export interface Refusal {
  readonly status: 401 | 403;
  readonly error: string;
}

/** Whatever is asked for: no other site may ask through somebody's browser. `undefined`: come in. */
export function refusalOfSite(headers: IncomingHttpHeaders, hosts: readonly string[]): Refusal | undefined {
  const { host } = headers;
  // Without a name there is nothing that could have been made to point here; no browser does that.
  if (host !== undefined && !isKnownHost(host, hosts)) {
    const name = JSON.stringify(hostName(host) ?? host);
    return forbidden(
      `this endpoint is not known as ${name}; if it is meant to be: metrics_hosts = [${name}], --metrics-host of flexiq`,
    );
  }
  const { origin } = headers;
  if (origin !== undefined && origin.replace(/^https?:\/\//i, "").toLowerCase() !== host?.toLowerCase()) {
    return forbidden("other sites may not read this");
  }
  return isOtherSite(headers) ? forbidden("other sites may not read this") : undefined;
}

/** The token, for what has figures in it. */
export function refusalOfToken({ authorization }: IncomingHttpHeaders, token: string | undefined): Refusal | undefined {
  if (token === undefined || isSame(bearerOf(authorization), token)) return undefined;
  return { status: 401, error: "send the token of its metrics_token_file: Authorization: Bearer TOKEN" };
}

/**
 * A page that has its name point to 127.0.0.1 after it was loaded (DNS rebinding) still sends that name. An address cannot be made to
 * point elsewhere, so each is as good as another.
 */
function isKnownHost(host: string, hosts: readonly string[]): boolean {
  const name = hostName(host);
  if (name === undefined) return false;
  return (
    name === "localhost" || isIP(name.replaceAll(/[[\]]/g, "")) !== 0 || hosts.some((each) => lower(each) === name)
  );
}

/** Lower case, without the port; `undefined` for what is none. */
function hostName(host: string): string | undefined {
  const name = /^(\[[\da-f:.]+\]|[^\s:[\]/@?#\\]+)(?::\d{1,5})?$/i.exec(host)?.[1];
  return name === undefined ? undefined : lower(name);
}

/** `Bearer` has no case; the token has. */
const bearerOf = (authorization: string | undefined): string =>
  /^bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? "";

/** Digests have one length, so that the time this takes tells nothing of the token. */
const isSame = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token));

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** A link that somebody followed here shows the page to nobody but them. */
function isOtherSite(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return false;
  return headers["sec-fetch-mode"] !== "navigate" || headers["sec-fetch-dest"] !== "document";
}

const lower = (text: string): string => text.toLowerCase();

const forbidden = (error: string): Refusal => ({ status: 403, error });
