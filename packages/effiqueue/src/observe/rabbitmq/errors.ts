/**
 * Why a queue could not be read, in one of a few kinds that each have a remedy. DESIGN 7.4.
 */
export type RabbitErrorCode =
  | "unreachable"
  | "timeout"
  | "unauthorised"
  | "forbidden"
  | "missing-queue"
  | "missing-vhost"
  | "not-json"
  | "stream"
  | "tls"
  | "other";

/** The message says what was found and what to do about it; it names no credential. */
export class RabbitError extends Error {
  override readonly name = "RabbitError";
  readonly code: RabbitErrorCode;
  readonly found: string;
  readonly remedy: string;

  constructor(code: RabbitErrorCode, found: string, remedy: string) {
    super(`${found} (${remedy})`);
    this.code = code;
    this.found = found;
    this.remedy = remedy;
  }
}
