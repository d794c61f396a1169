/**
 * What `--app MODULE[:EXPORT]` says, and which files it may mean. DESIGN 12.2.
 */
import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

export interface AppSpec {
  /** A path, a dotted name or a bare module. */
  readonly module: string;
  /** `undefined`: `queue`, then the default export. */
  readonly exportName: string | undefined;
}

/** In the order they are tried; what a build produced goes before its source. */
const EXTENSIONS = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"] as const;

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** The colon of `C:\app\tasks.js` is not one: what follows it is no identifier. */
export function parseAppSpec(text: string): AppSpec {
  const colon = text.lastIndexOf(":");
  const exportName = colon > 0 ? text.slice(colon + 1) : "";
  return IDENTIFIER.test(exportName)
    ? { module: text.slice(0, colon), exportName }
    : { module: text, exportName: undefined };
}

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The path itself, with an extension, or the index file of a folder. */
function variantsOf(path: string): string[] {
  return [
    path,
    ...EXTENSIONS.map((extension) => `${path}${extension}`),
    ...EXTENSIONS.map((extension) => join(path, `index${extension}`)),
  ];
}

export interface Candidates {
  /** The first that exists. */
  readonly file: string | undefined;
  /** For the message when none does: what was looked for, as short as it can be said. */
  readonly tried: readonly string[];
  /** May also be the name of an installed package. */
  readonly bare: boolean;
}

/** Files of the working folder `cwd` that `module` may mean: `./tasks.js`, `tasks`, `myapp.tasks` for `myapp/tasks.js`. */
export function candidatesOf(module: string, cwd: string): Candidates {
  const bare = !isAbsolute(module) && !/^\.{0,2}[\\/]|^\.{1,2}$/.test(module);
  const dotted = bare && !module.startsWith("@") && !/[\\/]/.test(module) && module.includes(".");
  const bases = [resolve(cwd, module), ...(dotted ? [resolve(cwd, module.replaceAll(".", "/"))] : [])];
  return {
    file: bases.flatMap(variantsOf).find(isFile),
    tried: bases.map((base) =>
      hasExtension(base) ? base : `${base}.{${EXTENSIONS.map((e) => e.slice(1)).join(",")}}`,
    ),
    bare,
  };
}

const hasExtension = (path: string): boolean => EXTENSIONS.some((extension) => path.endsWith(extension));

export const isTypeScript = (path: string): boolean => /\.[mc]?ts$/.test(path);
