/**
 * The page as it was built: a few files that are read once, when the first of them is asked for. Nothing else can be had from the
 * disk, whatever path is asked for. DESIGN 6.7.
 */
import { readdir, readFile } from "node:fs/promises";
import { extname } from "node:path";

interface PageFile {
  readonly status: 200;
  readonly contentType: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Page {
  /** @returns `undefined` for a path that is no file of the page */
  find(path: string): Promise<PageFile | undefined>;
}

/** Where the build leaves it, beside the compiled sources. */
const BUILT = new URL("../../dashboard/", import.meta.url);
const ASSETS = "assets/";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Scripts and styles of our own files, requests to ourselves, and nothing else; no frame around it. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join("; ");

/** @param folder of `index.html` and `assets/`, with a slash at its end */
export function openPage(folder: URL = BUILT): Page {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  return {
    async find(path) {
      // Requests that are no page of ours must not make the daemon read one.
      if (path !== "/" && !path.startsWith(`/${ASSETS}`)) return undefined;
      files ??= readFiles(folder);
      return (await files).get(path);
    },
  };
}

/** Empty where the page was not built: the paths are then unknown, like any other. */
async function readFiles(folder: URL): Promise<ReadonlyMap<string, PageFile>> {
  try {
    const names = await readdir(new URL(ASSETS, folder));
    const assets = names.filter((name) => extname(name) in TYPES).map((name) => `${ASSETS}${name}`);
    const files = await Promise.all(
      ["index.html", ...assets].map(async (name) => fileOf(name, await readFile(new URL(name, folder)))),
    );
    return new Map(files);
  } catch {
    return new Map();
  }
}

function fileOf(name: string, body: Buffer): [path: string, file: PageFile] {
  const contentType = TYPES[extname(name)] ?? "application/octet-stream";
  if (name !== "index.html") {
    // Its name changes with its content.
    const headers = { "Cache-Control": "public, max-age=31536000, immutable" };
    return [`/${name}`, { status: 200, contentType, body, headers }];
  }
  const headers = { "Content-Security-Policy": POLICY, "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY" };
  return ["/", { status: 200, contentType, body, headers }];
}
