/** One HTTP POST, with an end. DESIGN 6.9. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { codeOf } from "../../model/errors.ts";

export type Posted =
  | { readonly kind: "delivered" }
  /** A later try may be taken. */
  | { readonly kind: "failed"; readonly why: string }
  /** No later try of the same will be. */
  | { readonly kind: "refused"; readonly why: string };

export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends it as failed. */
  readonly signal: AbortSignal;
}

/** What says that the time is wrong and not the request. */
const COME_BACK = [408, 425, 429];

/** Never rejects, and says nothing of the URL: it may be a secret as a whole. Redirects are refused, for they would take a token elsewhere. */
export function post(body: string, { url, headers, timeoutMs, signal }: PostOptions): Promise<Posted> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const timeout = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve) => {
    const failed = (error: Error): void =>
      resolve({ kind: "failed", why: timeout.aborted ? `no answer within ${timeoutMs / 1000} s` : whyOf(error) });
    const sent = request(
      url,
      {
        method: "POST",
        agent: false,
        signal: AbortSignal.any([timeout, signal]),
        headers: { ...headers, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) },
      },
      (response) => {
        resolve(verdict(response.statusCode ?? 0));
        // Nobody reads what it says, however long it is.
        sent.destroy();
      },
    );
    sent.on("error", failed);
    sent.end(body);
  });
}

function verdict(status: number): Posted {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  const why = `it answers ${status}`;
  return { kind: status >= 500 || COME_BACK.includes(status) ? "failed" : "refused", why };
}

const whyOf = (error: Error): string => codeOf(error) || error.message;
