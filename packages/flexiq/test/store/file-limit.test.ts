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
