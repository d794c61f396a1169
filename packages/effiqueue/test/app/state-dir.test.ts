import { homedir } from "node:os";
import { describe, expect, it } from "vitest";
import { defaultStateDir, programStateDir } from "../../src/app/state-dir.ts";

describe("DESIGN 7.9: where the daemon keeps its state", () => {
  it.each<[string, Record<string, string>, boolean, string]>([
    ["root", {}, true, "/var/lib/effiqueue"],
    ["a service of systemd with StateDirectory=", { STATE_DIRECTORY: "/var/lib/mail" }, false, "/var/lib/mail"],
    ["one with two", { STATE_DIRECTORY: "/var/lib/a:/var/lib/b" }, true, "/var/lib/a"],
    ["a user", {}, false, `${homedir()}/.local/state/effiqueue`],
    ["a user with XDG_STATE_HOME", { XDG_STATE_HOME: "/home/me/state" }, false, "/home/me/state/effiqueue"],
    ["one with a relative, thus void, one", { XDG_STATE_HOME: "state" }, false, `${homedir()}/.local/state/effiqueue`],
  ])("for %s", (_, env, isRoot, folder) => {
    expect(defaultStateDir(env, isRoot)).toBe(folder);
  });

  it.each([
    ["messages", "messages"],
    ["high/low", "high%2Flow"],
    ["..", "%2E."],
    [".", "%2E"],
    ["a b%", "a%20b%25"],
    ["grüße", "gr%C3%BC%C3%9Fe"],
  ])("of the program %j is in %j", (name, folder) => {
    expect(programStateDir("/s", name)).toBe(`/s/${folder}`);
  });

  it("keeps long names apart, and within what a file may be called", () => {
    const names = [`${"ä".repeat(200)}1`, `${"ä".repeat(200)}2`].map((name) => programStateDir("/s", name));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name.length).toBeLessThan(255);
  });
});
