/**
 * Loads the queue that `--app` names. Each way this can fail has one sentence of its own, because it is the first thing
 * that goes wrong for everybody. DESIGN 12.2.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FlexiqError } from "../errors.ts";
import { Queue } from "../queue.ts";
import { candidatesOf, isTypeScript, parseAppSpec } from "./spec.ts";

/** @throws FlexiqError `app`: no such file, does not parse, throws while loading, exports no queue. */
export async function loadQueue(app: string, cwd: string = process.cwd()): Promise<Queue> {
  const { module, exportName } = parseAppSpec(app);
  const found = locate(module, cwd);
  const namespace = await importModule(found, cwd);
  return pickQueue(namespace, exportName, found);
}

/** An absolute path or, for a package that only `import` can resolve, its name. */
function locate(module: string, cwd: string): string {
  const { file, tried, bare } = candidatesOf(module, cwd);
  if (file !== undefined) return file;
  if (bare) {
    try {
      return createRequire(join(cwd, "package.json")).resolve(module);
    } catch (error) {
      // The package is there, but opens its door to `import` alone.
      if (codeOf(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED") return module;
    }
  }
  const alsoPackage = bare ? `, nor is a package "${module}" installed there` : "";
  throw new FlexiqError("app", `--app ${module}: there is no ${tried.join(" and no ")}${alsoPackage}`);
}

async function importModule(found: string, cwd: string): Promise<Record<string, unknown>> {
  if (isTypeScript(found) && !nodeStripsTypes()) await registerTsx(cwd);
  const endNoticing = noticeExit(found);
  const target = found.includes("/") || found.includes("\\") ? pathToFileURL(found).href : found;
  try {
    return await orStuck(import(target) as Promise<Record<string, unknown>>, found);
  } catch (error) {
    throw loadError(found, error);
  } finally {
    endNoticing();
  }
}

let isLeaving = false;

/** Ends this process while an app may be loading: by our own will, so it is not blamed on the app. */
export function exitWhileLoading(code: number): never {
  isLeaving = true;
  process.exit(code);
}

/** A module that ends the process it is loaded into leaves no time for an error: one sentence, and never the exit code of success. */
function noticeExit(found: string): () => void {
  const onExit = (code: number): void => {
    if (isLeaving) return;
    process.stderr.write(`flexiq: --app ${found}: it calls process.exit(${code}) while it is loaded\n`);
    if (code === 0) process.exitCode = 1;
  };
  process.once("exit", onExit);
  return () => process.off("exit", onExit);
}

/** A module may wait at its top level for what never comes. With nothing else to do, Node would end with 13 and not a word. */
async function orStuck<T>(loading: Promise<T>, found: string): Promise<T> {
  let onIdle: () => void = () => undefined;
  const stuck = new Promise<never>((_, reject) => {
    const message = `--app ${found}: it never finishes loading, for it waits at its top level for something that never comes`;
    onIdle = () => reject(new FlexiqError("app", message));
  });
  process.once("beforeExit", onIdle);
  try {
    return await Promise.race([loading, stuck]);
  } finally {
    process.off("beforeExit", onIdle);
  }
}

const nodeStripsTypes = (): boolean =>
  Boolean((process.features as { readonly typescript?: string | false }).typescript);

/** tsx of the user's project, where it is installed; without it the import says what is missing. */
async function registerTsx(cwd: string): Promise<void> {
  let api: string;
  try {
    api = createRequire(join(cwd, "package.json")).resolve("tsx/esm/api");
  } catch {
    return;
  }
  const tsx = (await import(pathToFileURL(api).href)) as { register: () => unknown };
  tsx.register();
}

function loadError(found: string, error: unknown): FlexiqError {
  if (error instanceof FlexiqError && error.code === "app") return error;
  const cause = { cause: error };
  if (codeOf(error) === "ERR_UNKNOWN_FILE_EXTENSION" && /"\.[mc]?ts"/.test(String(error))) {
    const node = process.versions.node;
    return new FlexiqError(
      "app",
      `--app ${found}: Node ${node} does not run TypeScript: use Node 22.18 or later, install tsx in the project, or name the compiled .js file`,
      cause,
    );
  }
  if (error instanceof SyntaxError) {
    const where = syntaxErrorPlace(found, error);
    // What npm init writes says "commonjs", and Node's own words do not say where that is changed.
    const remedy = /^(Cannot use import statement|Unexpected token 'export')/.test(error.message)
      ? ` as CommonJS: put "type": "module" into package.json, or name it ${isTypeScript(found) ? ".mts" : ".mjs"}`
      : "";
    const subject = where ?? "it, or a module it imports,";
    return new FlexiqError("app", `--app ${found}: ${subject} does not parse${remedy}`, cause);
  }
  return new FlexiqError("app", `--app ${found}: it throws while it is loaded`, cause);
}

/** `FILE:LINE`. Node keeps the place of an ES module's syntax error to itself, so `node --check` is asked for it. */
function syntaxErrorPlace(found: string, error: SyntaxError): string | undefined {
  const place = (text: string | undefined): string | undefined => /^(.*:\d+)\n/.exec(text ?? "")?.[1];
  const told = place(error.stack);
  if (told !== undefined || isTypeScript(found)) return told;
  const check = spawnSync(process.execPath, ["--check", found], { encoding: "utf8", timeout: 5_000 });
  return place(check.stderr);
}

function pickQueue(namespace: Record<string, unknown>, exportName: string | undefined, found: string): Queue {
  const exports = exportsOf(namespace);
  const wanted = exportName === undefined ? ["queue", "default"] : [exportName];
  for (const name of wanted) {
    const value = exports.get(name);
    if (Queue.isQueue(value)) return value;
  }
  const names = [...exports.keys()];
  const queues = names.filter((name) => Queue.isQueue(exports.get(name)));
  const [only] = queues;
  const remedy =
    only !== undefined
      ? `did you mean :${only}?`
      : names.length === 0
        ? "it exports nothing"
        : `it exports ${names.map((name) => `${name} (${kindOf(exports.get(name))})`).join(", ")}`;
  throw new FlexiqError("app", `--app ${found}: no queue is exported as ${wanted.join(" or ")}; ${remedy}`);
}

/** Names of a CommonJS module that Node's scan of its text missed are on its default export. */
function exportsOf(namespace: Record<string, unknown>): Map<string, unknown> {
  const names = new Map(Object.entries(namespace).filter(([name]) => name !== "module.exports"));
  const main = namespace["default"];
  if (typeof main === "object" && main !== null && !Queue.isQueue(main))
    for (const [name, value] of Object.entries(main)) if (!names.has(name)) names.set(name, value);
  return names;
}

const kindOf = (value: unknown): string => (value === null ? "null" : typeof value);

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
