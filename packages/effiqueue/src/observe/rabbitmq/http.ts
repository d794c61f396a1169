/**
 * GET of JSON from the management API, over connections that stay open between readings. DESIGN 7.2.
 */
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Clock } from "../../model/ports.ts";
import type { ManagementAddress } from "./address.ts";
import { type TlsFiles, tlsMaterial } from "./tls-files.ts";
import { type Answer, type Asked, answerTrouble, notJson, socketTrouble, timedOut } from "./troubles.ts";

/** The answer about one queue has a few kilobytes; what is longer is not what was asked for. */
const LONGEST_BODY = 8 * 1024 * 1024;

export class ManagementClient {
  readonly asked: Asked;
  readonly #address: ManagementAddress;
  readonly #headers: { readonly accept: string; readonly authorization: string };
  readonly #tls: TlsFiles;
  readonly #clock: Clock;
  #agent: HttpAgent | undefined;

  constructor(address: ManagementAddress, asked: Asked, tls: TlsFiles, clock: Clock) {
    const { username, password } = address;
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    this.#headers = { accept: "application/json", authorization };
    this.#address = address;
    this.asked = asked;
    this.#tls = tls;
    this.#clock = clock;
  }

  /**
   * @param path below the prefix, encoded
   * @throws RabbitError
   */
  async get(path: string, timeoutMs: number): Promise<unknown> {
    const answer = await this.answer(path, timeoutMs);
    const trouble = answerTrouble(this.asked, answer);
    if (trouble !== undefined) throw trouble;
    return jsonIn(this.asked, answer);
  }

  /** Whatever the status. @throws RabbitError when there is no answer */
  async answer(path: string, timeoutMs: number): Promise<Answer> {
    let agent: HttpAgent | undefined;
    try {
      agent = this.#agent ??= this.#newAgent();
      return await this.#send(agent, path, timeoutMs);
    } catch (error) {
      // The next connection reads the certificates again, which may have been renewed. It may be there already.
      if (this.#agent === agent) this.close();
      throw socketTrouble(this.asked, error);
    }
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  #newAgent(): HttpAgent {
    return this.#address.tls ? new HttpsAgent({ ...POOL, ...tlsMaterial(this.#tls) }) : new HttpAgent(POOL);
  }

  #send(agent: HttpAgent, path: string, timeoutMs: number): Promise<Answer> {
    const { tls, host, port, prefix } = this.#address;
    const options = { agent, host, port, path: `${prefix}${path}`, headers: this.#headers };
    return new Promise((resolve, reject) => {
      const request = tls ? httpsRequest(options) : httpRequest(options);
      let expired: Error | undefined;
      const cancel = this.#clock.after(timeoutMs, () => {
        expired = timedOut(this.asked);
        request.destroy(expired);
      });
      request.once("close", cancel);
      request.on("error", (error) => {
        // The other side may close an idle connection in the moment in which it is used again.
        const isStale = request.reusedSocket && "code" in error && error.code === "ECONNRESET";
        if (isStale) this.#send(agent, path, timeoutMs).then(resolve, reject);
        else reject(error);
      });
      request.once("response", (response) => {
        const { statusCode: status = 0, headers } = response;
        const answer = bodyOf(response, this.asked).then((body) => ({
          status,
          type: headers["content-type"] ?? "",
          body,
        }));
        // A body that is cut off by us looks as if it was cut off by the other side.
        answer.then(resolve, (error: unknown) => reject(expired ?? asError(error)));
      });
      request.end();
    });
  }
}

const POOL = { keepAlive: true, maxSockets: 4 };

/** By events: an async iterator costs as much as the rest of the request, and twenty programs make forty of them at a poll. */
function bodyOf(response: IncomingMessage, asked: Asked): Promise<string> {
  response.setEncoding("utf8");
  return new Promise((resolve, reject) => {
    let body = "";
    response.on("data", (chunk: string) => {
      body += chunk;
      if (body.length > LONGEST_BODY) response.destroy(notJson(asked, "more than it was asked for"));
    });
    response.once("end", () => resolve(body));
    response.once("error", reject);
  });
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

function jsonIn(asked: Asked, { body, type }: Answer): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    throw notJson(asked, `broken ${type}`);
  }
}
