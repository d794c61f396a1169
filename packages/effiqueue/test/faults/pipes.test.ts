/** A pipe in the place of a file: whoever opens it waits for somebody at its other end, and a daemon that waits does nothing else. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { quietConfig, runningDaemon, told } from "../support/quiet-daemon.ts";

describe("DESIGN 5.1, 7.15: a configuration that has become a pipe", () => {
  it("is refused by a reload, holds up nothing, and is read again when it is a file", async () => {
    const { setup, daemon } = await runningDaemon();
    rmSync(setup.file);
    execFileSync("mkfifo", [setup.file]);
    const { code, stderr } = await told(setup, "reload");
    expect(code).toBe(78);
    expect(stderr).toContain("cannot be read: it is a pipe that nobody writes to; name a file");
    rmSync(setup.file);
    writeFileSync(setup.file, quietConfig());
    expect(await told(setup, "reload")).toMatchObject({ code: 0 });
    expect(await daemon.stop()).toBe(0);
  });
});
