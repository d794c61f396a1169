import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UserError } from "../../src/act/errors.ts";
import { inPasswd } from "../../src/act/platform/users.ts";
import { workerUser } from "../../src/act/user.ts";
import { openTestPool } from "../support/pool.ts";
import { killAtEnd, readyCount, sh } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";

const isRoot = process.geteuid?.() === 0;

/** A folder in which anybody may write. */
function openFolder(): string {
  const folder = tempDir();
  chmodSync(folder, 0o777);
  return folder;
}

describe("DESIGN 4.1: each worker by its number", () => {
  it("has a command and an output of its own", async () => {
    const folder = tempDir();
    const { pool } = openTestPool({
      worker: (processNum) => ({
        command: sh(`echo "port 80${processNum}"; touch "${folder}/$$"; exec sleep 600`),
        output: { stdout: { file: join(folder, `consumer_${processNum}.log`) }, stderr: "ignore" },
      }),
    });
    await pool.resize(2);
    await waitFor(() => readyCount(folder) === 4);
    const logs = [0, 1].map((each) => readFileSync(join(folder, `consumer_${each}.log`), "utf8"));
    expect(logs).toEqual(["port 800\n", "port 801\n"]);
  });

  it("is known to a successor by the command of its number, though the list of workers is lost", async () => {
    const stateDir = join(tempDir(), "state");
    const ready = tempDir();
    // The shell stays the leader, so that the command line is the one it was started with.
    const worker = (processNum: number, nap = 600) => ({
      command: sh(`touch "$READY/$$"; sleep ${nap + processNum}; true`, { READY: ready }),
      output: { stdout: "ignore", stderr: "ignore" } as const,
    });
    const first = openTestPool({ stateDir, worker });
    await first.pool.resize(2);
    const pids = first.pids();
    first.pool.snapshot().forEach(({ identity }) => killAtEnd(identity));
    await waitFor(() => readyCount(ready) === 2);
    first.pool.close();
    const reopened = (settings: typeof worker) => {
      writeFileSync(join(stateDir, "workers.json"), JSON.stringify({ format: 1, workers: [] }));
      const next = openTestPool({ stateDir, worker: settings });
      const found = next.pool.snapshot().map(({ identity, processNum }) => [identity.pid, processNum]);
      next.pool.close();
      return found;
    };
    expect(reopened((processNum) => worker(processNum, 700))).toEqual([]);
    expect(reopened(worker).sort()).toEqual(pids.map((pid, processNum) => [pid, processNum]).sort());
  });
});

describe("DESIGN 4.1: the user of a worker", () => {
  const PASSWD =
    "root:x:0:0:root:/root:/bin/sh\nmail:x:8:12:mail,,,:/var/mail:/usr/sbin/nologin\n+::::::\nbroken\n8:x:70:70::/:\n";

  it.each([
    { name: "mail", user: { name: "mail", uid: 8, gid: 12, home: "/var/mail" }, note: "by name" },
    { name: "12", user: undefined, note: "a group is no user" },
    { name: "70", user: { name: "8", uid: 70, gid: 70, home: "/" }, note: "by number" },
    { name: "+", user: undefined, note: "a line that names nobody" },
    { name: "", user: undefined, note: "nothing" },
    { name: "broken", user: undefined, note: "no such line can be read" },
  ])("is $user for $name: $note", ({ name, user }) => {
    expect(inPasswd(PASSWD, name)).toEqual(user);
  });

  it("is refused by name when there is no such user", () => {
    expect(() => workerUser("no-such-user")).toThrow(UserError);
    expect(() => workerUser("no-such-user")).toThrow(
      "workers cannot run as user no-such-user: this system knows no such",
    );
  });

  it("is nobody else when it is who we are", () => {
    expect(workerUser(String(process.geteuid?.()))).toBeUndefined();
  });

  it.runIf(isRoot)("is who it says: user, group and home, and no groups of ours", async () => {
    const folder = openFolder();
    const user = workerUser("nobody");
    const { pool } = openTestPool({
      command: {
        ...sh('echo "$(id -u):$(id -g):$(id -G):$HOME:$USER:$LOGNAME" > "$OUT/who"; touch "$OUT/done"', {
          OUT: folder,
        }),
        user,
      },
      exitCodes: [0],
    });
    pool.spawn();
    await waitFor(() => readyCount(folder) === 2);
    const who = `${user?.uid}:${user?.gid}:${user?.gid}:${user?.home}:nobody:nobody\n`;
    expect(readFileSync(join(folder, "who"), "utf8")).toBe(who);
  });

  it.runIf(isRoot)("does not override what the command sets", async () => {
    const folder = openFolder();
    const { pool } = openTestPool({
      command: {
        ...sh('echo "$HOME" > "$OUT/home"; touch "$OUT/done"', { OUT: folder, HOME: "/srv" }),
        user: workerUser("nobody"),
      },
      exitCodes: [0],
    });
    pool.spawn();
    await waitFor(() => readyCount(folder) === 2);
    expect(readFileSync(join(folder, "home"), "utf8")).toBe("/srv\n");
  });

  it.runIf(isRoot)("is named when it may not execute the command", () => {
    const file = join(tempDir(), "worker");
    writeFileSync(file, "#!/bin/sh\n", { mode: 0o755 });
    const { pool } = openTestPool({ command: { file, args: [], user: workerUser("nobody") } });
    expect(() => pool.spawn()).toThrow(/may user nobody enter .* and execute/);
  });

  it.runIf(isRoot)("is refused to who is not root", () => {
    const script = `
      const { workerUser } = await import(${JSON.stringify(new URL("../../dist/act/user.js", import.meta.url).href)});
      try { workerUser("root"); } catch (error) { console.log(error.code + ": " + error.message); }`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      uid: 65_534,
      env: { PATH: process.env["PATH"] },
    });
    expect(stdout).toBe(
      "user: workers cannot run as user root: only root can start workers as others, and this is user 65534; run as root, or as root\n",
    );
  });
});
