/** What an error says of itself, whoever threw it. DESIGN 6.1. Pure. */

/** The empty text: it has none. */
export function codeOf(error: unknown): string {
  const code: unknown = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "";
}

/** An error and its causes on one line. Node's for an address that has several has no message of its own. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return thrownText(error);
  const own = error.message || codeOf(error) || error.name;
  return error.cause === undefined ? own : `${own}: ${errorText(error.cause)}`;
}

/** Of what is no error: an object shows what it holds, unless that cannot be written down. */
function thrownText(thrown: unknown): string {
  try {
    const content: string | undefined = typeof thrown === "object" ? JSON.stringify(thrown) : undefined;
    return content ?? String(thrown);
  } catch {
    return Object.prototype.toString.call(thrown);
  }
}
