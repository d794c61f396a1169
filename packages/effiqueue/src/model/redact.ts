/**
 * Takes credentials out of text before anybody prints it: errors of clients like to quote the address they failed to reach.
 * When in doubt it takes out more. DESIGN 5.4. Pure.
 */

const MASK = "***";

/** Up to the last @ of the run: a password that should have been percent-encoded may hold one, or a slash. */
const USER_INFO = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s"'<>`]*@/gi;

const NAMED_SECRET = /\b([\w-]*(?:password|passwd|secret|token|api[-_]?key)=)[^\s&;,"']+/gi;

/** Shorter ones are no secrets, and would take a letter out of every word. */
const SHORTEST_SECRET = 3;

/** Masks the user part of every URL and the value of what is named like a secret (`password=...`). */
export function redact(text: string): string {
  return text.replaceAll(USER_INFO, `$1${MASK}@`).replaceAll(NAMED_SECRET, `$1${MASK}`);
}

/** A `redact` that also masks these very texts, wherever they occur. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const known = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST_SECRET);
  known.sort((a, b) => b.length - a.length);
  return (text) => known.reduce((rest, secret) => rest.replaceAll(secret, MASK), redact(text));
}

/** A redactor that learns of more: what was a password once stays one. */
export class Redactor {
  readonly #secrets: string[] = [];
  #redact = redact;

  constructor(secrets: readonly string[]) {
    this.learn(secrets);
  }

  learn(secrets: readonly string[]): void {
    this.#secrets.push(...secrets.filter((each) => !this.#secrets.includes(each)));
    this.#redact = redactor(this.#secrets);
  }

  readonly redact = (text: string): string => this.#redact(text);
}

/** The password in a URL, as it is written and as it is meant; empty where there is none. */
export function secretsOf(url: string): string[] {
  const [, userInfo] = /^[a-z][a-z0-9+.-]*:\/\/(.*)@/is.exec(url) ?? [];
  const colon = userInfo?.indexOf(":") ?? -1;
  const password = colon < 0 ? undefined : userInfo?.slice(colon + 1);
  return password === undefined || password === "" ? [] : [...new Set([password, decoded(password)])];
}

/** Chat systems give out addresses whose path is the password. */
export function secretsOfHook(url = "", header = ""): string[] {
  const [, path = ""] = /^[a-z]+:\/\/[^/?#]*(.*)$/is.exec(url) ?? [];
  const value = header.replace(/^[^:]*:\s*/, "");
  return [...secretsOf(url), path, value, value.replace(/^\S+\s+/, "")].filter((each) => each !== "");
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A lone % is no escape: then it means itself.
    return text;
  }
}
