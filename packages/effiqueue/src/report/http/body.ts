/** The body of a request, for the few that have one: no longer than anybody means it to be. DESIGN 6.6, 7.12. */
import type { IncomingMessage } from "node:http";

/** A command and its arguments; what is longer is none. */
const MOST_BODY_BYTES = 64 * 1024;

export class BodyError extends Error {
  override readonly name = "BodyError";
  readonly code = "body";
}

/** @throws BodyError when it is too long or breaks off */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_BODY_BYTES) throw new BodyError(`a command has at most ${MOST_BODY_BYTES} bytes`);
      chunks.push(chunk);
    }
  } catch (cause) {
    throw cause instanceof BodyError ? cause : new BodyError("the request broke off", { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}
