import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { tempDir } from "../../../effiqueue/test/support/temp-dir.ts";
import { flexiq } from "../support/flexiq-process.ts";

/** A megabyte, in the blocks that POSIX counts. */
const LIMITED = ["sh", "-c", 'ulimit -f 2048; exec "$@"', "sh"];

it("DESIGN 9.1: a limit on the size of files is named when one has reached it; what was acknowledged stays, and it goes on without", async () => {
  const cwd = tempDir();
  const enqueue = (...args: string[]): Promise<number | null> =>
    flexiq(["enqueue", "work", "x".repeat(1000), ...args], { cwd }).then(({ code }) => code);
  expect(await enqueue()).toBe(0);
  const { code, stderr } = await flexiq(["enqueue", "work", "x".repeat(1000), "--count", "5000"], {
    cwd,
    through: LIMITED,
  });
  expect(code).toBe(1);
  expect(stderr).toContain("may be (1048576 bytes): raise that limit (ulimit -f); nothing was changed");
  expect(await enqueue("--count", "5000")).toBe(0);
  expect(JSON.parse((await flexiq(["stats", "--json"], { cwd })).stdout)).toMatchObject({ pending: 5001 });
});

/** Opens a first queue, so that everything is loaded, then all files that it may, then a second queue; and that again with files to spare. */
const STARVING = `
  import { closeSync, openSync } from "node:fs";
  import { Queue } from ${JSON.stringify(new URL("../../dist/index.js", import.meta.url).href)};
  const [first, second] = ["first.db", "second.db"].map((dbPath) => new Queue({ dbPath }));
  await first.stats();
  const held = [];
  try {
    for (;;) held.push(openSync("/dev/null", "r"));
  } catch {}
  const { code, message } = await second.stats().then(() => ({}), (error) => error);
  for (const handle of held) closeSync(handle);
  console.log(JSON.stringify({ code, message, pending: (await second.stats()).pending }));
`;

it("DESIGN 9.1: a limit on open files is named when the file cannot be opened for it; it is opened when there are some", () => {
  const cwd = tempDir();
  const { stdout } = spawnSync(
    "sh",
    ["-c", 'ulimit -n 100; exec "$@"', "sh", process.execPath, "--input-type=module", "-e", STARVING],
    { cwd, encoding: "utf8" },
  );
  expect(JSON.parse(stdout)).toEqual({
    code: "cannot-open",
    message: `cannot open ${join(cwd, "second.db")}: no more files can be opened here; close those that are not used, or raise the limit (ulimit -n)`,
    pending: 0,
  });
});
