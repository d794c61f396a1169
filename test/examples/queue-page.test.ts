/** What docs/queue.md shows, as the program that a reader makes of it. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Queue } from "flexiq";
import { expect, it } from "vitest";
import { tempDir } from "../../packages/effiqueue/test/support/temp-dir.ts";
import { openQueue, stopGracefully } from "../support/pool.ts";
import { nobodyLeft, run, start } from "../support/processes.ts";
import { makeProject, ROOT } from "../support/project.ts";

const PAGE = readFileSync(join(ROOT, "docs/queue.md"), "utf8");

/** By the name in its first line. */
function shown(name: string): string {
  const found = new RegExp(`^\`\`\`js\\n(// ${name}\\n[^]*?)^\`\`\`$`, "m").exec(PAGE)?.[1];
  if (found === undefined) throw new Error(`docs/queue.md shows no ${name}`);
  return found;
}

it("DESIGN 9: runs, with every option that it names where it names it", async () => {
  const { dir, dbPath, env } = makeProject();
  for (const name of ["tasks.js", "producer.js", "embedded.js"]) writeFileSync(join(dir, name), shown(name));
  const worker = start("node_modules/.bin/flexiq", ["worker", "--app", "./tasks.js:queue"], { cwd: dir, env });
  const { code, stdout, stderr } = await run(process.execPath, ["producer.js"], { cwd: dir, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("{ path: 'a.png', width: 640 }\n{ done: 0, row: 'row', attempt: 1 }\n");

  const queue = openQueue(dbPath);
  const [id] = await queue.enqueueMany([
    { task: "import-file", args: ["no rows"] },
    { task: "resize", args: ["z"] },
  ]);
  await expect(queue.result(id ?? 0, { timeoutMs: 30_000 })).rejects.toMatchObject({ code: "job-dead" });
  expect(await queue.deadLetters()).toMatchObject([{ id, attempts: 1 }]);
  await stopGracefully(worker);

  const embedded = start(process.execPath, ["embedded.js"], { cwd: dir, env });
  expect(await embedded.ended()).toMatchObject({ code: 0, stdout: "{ path: 'e.png', width: 640 }\n" });
  await nobodyLeft(embedded);
});

it("DESIGN 9.4: names every option where it may be given", async () => {
  const wrong = { nonsense: 1 } as object;
  const queue = openQueue(join(tempDir(), "queue.db"));
  const refused = [
    () => queue.enqueue("t", [], wrong),
    () => queue.task("t", () => undefined, wrong),
    () => new Queue(wrong),
  ];
  for (const [column, call] of refused.entries()) {
    const message = await (async () => call())().then(String, String);
    const options = /; there are (.*)$/.exec(message)?.[1]?.split(", ") ?? [];
    expect(inColumn(column).sort(), message).toEqual(options.sort());
  }
});

/** What the table marks with an x: of a call, of a task, of the queue. */
function inColumn(column: number): string[] {
  const rows = [...PAGE.matchAll(/^\| (`.*?) \| (x?) ?\| (x?) ?\| (x?) ?\|/gm)];
  return rows.flatMap(([, what = "", ...marks]) =>
    marks[column] === "x" ? [...what.replace(/:.*/, "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name) : [],
  );
}
