import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { parseAppSpec } from "../../src/app/spec.ts";
import { flexiq } from "../support/flexiq-process.ts";

// Recognised by its brand alone, so that these apps need no copy of the package.
const QUEUE = `{ [Symbol.for("flexiq.queue")]: true, dbPath: "here" }`;

function folderWith(files: Record<string, string>): string {
  const folder = tempDir();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

interface Answer {
  readonly dbPath?: string;
  readonly code?: string;
  readonly message?: string;
  readonly cause?: string;
}

// One for all cases, which live in folders of their own. The stand-in for tsx stays, so its test comes after the one without.
let node: ChildProcess;
beforeAll(() => {
  node = fork(fileURLToPath(new URL("../fixtures/load-app.mjs", import.meta.url)));
});
afterAll(() => {
  node.kill();
});

async function load(app: string, cwd: string): Promise<Answer> {
  node.send({ app, cwd });
  const [answer] = (await once(node, "message")) as [Answer];
  return answer;
}

async function failure(app: string, cwd: string): Promise<string | undefined> {
  const { code, message } = await load(app, cwd);
  expect(code).toBe("app");
  return message;
}

describe("DESIGN 12.2: what --app says", () => {
  it.each([
    ["./tasks.js:queue", "./tasks.js", "queue"],
    ["./tasks.js", "./tasks.js", undefined],
    ["myapp.tasks:jobs", "myapp.tasks", "jobs"],
    ["C:\\app\\tasks.js", "C:\\app\\tasks.js", undefined],
    ["C:\\app\\tasks.js:queue", "C:\\app\\tasks.js", "queue"],
    ["C:/app/tasks.js", "C:/app/tasks.js", undefined],
    ["@scope/app:$queue", "@scope/app", "$queue"],
    ["./a:b.js", "./a:b.js", undefined],
    ["./tasks.js:", "./tasks.js:", undefined],
  ])("%s is %s and %s", (text, module, exportName) => {
    expect(parseAppSpec(text)).toEqual({ module, exportName });
  });
});

describe("DESIGN 12.2: every form finds its queue", () => {
  it.each([
    ["./tasks.mjs:queue", { "tasks.mjs": `export const queue = ${QUEUE}` }],
    ["./tasks.mjs", { "tasks.mjs": `export const queue = ${QUEUE}` }],
    ["./tasks.mjs", { "tasks.mjs": `export default ${QUEUE}` }],
    ["./tasks.mjs:jobs", { "tasks.mjs": `export const queue = 1; export const jobs = ${QUEUE}` }],
    ["./tasks.mjs:default", { "tasks.mjs": `export const queue = 1; export default ${QUEUE}` }],
    ["tasks.mjs", { "tasks.mjs": `export const queue = ${QUEUE}` }],
    ["./tasks", { "tasks.mjs": `export const queue = ${QUEUE}` }],
    ["./app", { "app/index.mjs": `export const queue = ${QUEUE}` }],
    ["myapp.tasks:queue", { "myapp/tasks.mjs": `export const queue = ${QUEUE}` }],
    ["myapp.tasks:queue", { "myapp/tasks/index.mjs": `export const queue = ${QUEUE}` }],
    ["myapp:queue", { "myapp.mjs": `export const queue = ${QUEUE}` }],
    ["myapp:queue", { "myapp/index.mjs": `export const queue = ${QUEUE}` }],
    ["myapp.tasks", { "myapp.tasks.mjs": `export const queue = ${QUEUE}` }],
    ["./tasks.cjs:queue", { "tasks.cjs": `exports.queue = ${QUEUE}` }],
    ["./tasks.cjs", { "tasks.cjs": `module.exports = ${QUEUE}` }],
    // Node's scan of the text finds no names here.
    ["./tasks.cjs:queue", { "tasks.cjs": `module.exports = Object.fromEntries([["queue", ${QUEUE}]])` }],
    [
      "some-app",
      {
        "node_modules/some-app/package.json": `{ "main": "main.cjs" }`,
        "node_modules/some-app/main.cjs": `exports.queue = ${QUEUE}`,
      },
    ],
    [
      "@some/app:jobs",
      {
        "node_modules/@some/app/package.json": `{ "exports": "./main.mjs" }`,
        "node_modules/@some/app/main.mjs": `export const jobs = ${QUEUE}`,
      },
    ],
  ] as [string, Record<string, string>][])("%s in %j", async (app, files) => {
    expect((await load(app, folderWith(files))).dbPath).toBe("here");
  });

  it("takes a path from the root of the filesystem", async () => {
    const folder = folderWith({ "tasks.mjs": `export const queue = ${QUEUE}` });
    expect((await load(`${join(folder, "tasks.mjs")}:queue`, "/")).dbPath).toBe("here");
  });

  it("prefers a file that stands there to a package of that name", async () => {
    const folder = folderWith({
      "app.mjs": `export const queue = { ...${QUEUE}, dbPath: "file" }`,
      "node_modules/app/index.js": `exports.queue = { ...${QUEUE}, dbPath: "package" }`,
    });
    expect((await load("app", folder)).dbPath).toBe("file");
  });
});

describe("DESIGN 12.2: TypeScript", () => {
  const typescript = (process.features as { typescript?: unknown }).typescript;
  const source = `const name: string = "here"; export const queue = { ...${QUEUE}, dbPath: name };`;

  it.skipIf(Boolean(typescript))(
    "says what is missing where Node strips no types and tsx is not installed",
    async () => {
      const message = await failure("./tasks", folderWith({ "tasks.ts": source }));
      expect(message).toMatch(/tasks\.ts: Node \d+\.\d+\.\d+ does not run TypeScript: .*Node 22\.18.* tsx .*compiled/);
    },
  );

  it.skipIf(Boolean(typescript))("uses the project's tsx", async () => {
    // A stand-in with tsx's door: what it does to the file is enough for this one.
    const hooks = `export async function load(url, context, next) {
      if (!url.endsWith(".ts")) return next(url, context);
      const { source } = await next(url, { ...context, format: "module" });
      return { format: "module", shortCircuit: true, source: String(source).replace(": string", "") };
    }`;
    const register = `import { register as add } from "node:module";
      export const register = () => add("data:text/javascript,${encodeURIComponent(hooks)}");`;
    const folder = folderWith({
      "tasks.ts": source,
      "node_modules/tsx/package.json": `{ "type": "module", "exports": { "./esm/api": "./api.mjs" } }`,
      "node_modules/tsx/api.mjs": register,
    });
    expect((await load("./tasks.ts", folder)).dbPath).toBe("here");
  });

  it.runIf(Boolean(typescript))("runs where Node strips types", async () => {
    expect((await load("./tasks.ts", folderWith({ "tasks.ts": source }))).dbPath).toBe("here");
  });

  it.runIf(Boolean(typescript))(
    "says what makes TypeScript that npm's package.json calls CommonJS a module",
    async () => {
      const folder = folderWith({ "package.json": `{ "type": "commonjs" }`, "tasks.ts": `import "node:fs";\n` });
      expect(await failure("./tasks.ts", folder)).toMatch(
        /tasks\.ts:1 does not parse as CommonJS: put "type": "module" into package\.json, or name it \.mts$/,
      );
    },
  );
});

describe("DESIGN 12.2: each failure has its sentence", () => {
  it("names the paths it tried", async () => {
    const folder = tempDir();
    expect(await failure("./tasks.js:queue", folder)).toBe(`--app ./tasks.js: there is no ${join(folder, "tasks.js")}`);
    const dotted = await failure("myapp.tasks:queue", folder);
    expect(dotted).toContain(join(folder, "myapp/tasks.{js,mjs,cjs,ts,mts,cts}"));
    expect(dotted).toContain(`nor is a package "myapp.tasks" installed there`);
  });

  it.each([
    ["tasks.mjs", "export const a = 1;\nconst b = );\n"],
    ["tasks.cjs", "const a = 1;\nconst b = );\n"],
  ])("names file and line of a syntax error in %s", async (name, text) => {
    const folder = folderWith({ [name]: text });
    expect(await failure(`./${name}`, folder)).toMatch(new RegExp(`${name}:2 does not parse$`));
  });

  it("says what makes a file that npm's package.json calls CommonJS a module", async () => {
    const folder = folderWith({ "package.json": `{ "type": "commonjs" }`, "tasks.js": `import "node:fs";\n` });
    expect(await failure("./tasks.js", folder)).toMatch(
      /tasks\.js:1 does not parse as CommonJS: put "type": "module" into package\.json, or name it \.mjs$/,
    );
  });

  it("says when an imported module does not parse", async () => {
    const folder = folderWith({ "tasks.mjs": `import "./other.mjs";`, "other.mjs": "const b = );" });
    expect(await failure("./tasks.mjs", folder)).toMatch(/a module it imports, does not parse$/);
  });

  it("keeps what a module throws as the cause", async () => {
    const folder = folderWith({ "tasks.mjs": `throw new Error("no DATABASE_URL")` });
    const { message, cause } = await load("./tasks.mjs", folder);
    expect(message).toMatch(/it throws while it is loaded$/);
    expect(cause).toBe("no DATABASE_URL");
  });

  it.each(["worker", "autoscale", "stats"])(
    "says to `%s` when a module waits for ever at its top level",
    async (command) => {
      const cwd = folderWith({ "tasks.mjs": "await new Promise(() => {});" });
      const { code, stderr } = await flexiq([command, "--app", "./tasks.mjs"], { cwd });
      expect(stderr).toMatch(/^flexiq: --app .*tasks\.mjs: it never finishes loading, .*\n$/);
      expect(code).toBe(1);
    },
  );

  it.each([
    ["worker", 0],
    ["autoscale", 3],
    ["stats", 0],
  ])("says to `%s` when a module calls process.exit(%i) while it is loaded", async (command, given) => {
    const cwd = folderWith({ "tasks.mjs": `process.exit(${given})` });
    const { code, stderr } = await flexiq([command, "--app", "./tasks.mjs"], { cwd });
    expect(stderr).toMatch(/^flexiq: --app .*tasks\.mjs: it calls process\.exit\(\d\) while it is loaded\n$/);
    expect(code).toBe(given === 0 ? 1 : given);
  });

  it("does not take a missing import for a missing app", async () => {
    const folder = folderWith({ "tasks.mjs": `import "./nowhere.mjs"` });
    const { message, cause } = await load("./tasks.mjs", folder);
    expect(message).toMatch(/it throws while it is loaded$/);
    expect(cause).toContain("nowhere.mjs");
  });

  it.each([
    [
      "export const a = 1; export const b = () => 2;",
      "",
      "no queue is exported as queue or default; it exports a (number), b (function)",
    ],
    ["", "", "no queue is exported as queue or default; it exports nothing"],
    ["export const queue = {};", ":queue", "no queue is exported as queue; it exports queue (object)"],
    [`export const jobs = ${QUEUE};`, "", "no queue is exported as queue or default; did you mean :jobs?"],
    [`export const queue = ${QUEUE};`, ":jobs", "no queue is exported as jobs; did you mean :queue?"],
  ])("says what %s exports instead", async (text, suffix, expected) => {
    const folder = folderWith({ "tasks.mjs": text });
    expect(await failure(`./tasks.mjs${suffix}`, folder)).toBe(`--app ${join(folder, "tasks.mjs")}: ${expected}`);
  });

  it("takes no URLs: a module is a path or a package", async () => {
    const folder = folderWith({ "tasks.mjs": `export const queue = ${QUEUE}` });
    expect(await failure(pathToFileURL(join(folder, "tasks.mjs")).href, folder)).toContain("there is no");
  });
});
