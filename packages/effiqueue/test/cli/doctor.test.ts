import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { acquireLock } from "../../src/act/lock.ts";
import type { Verdict } from "../../src/app/doctor/index.ts";
import { programStateDir } from "../../src/app/state-dir.ts";
import { systemClock } from "../../src/loop/clock.ts";
import { describeBroker, type TestVhost, testVhost } from "../support/broker.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { tempDir } from "../support/temp-dir.ts";

/** Nobody listens on port 1. */
const NOWHERE = "amqp://app:s3cret-word@127.0.0.1:1/%2F";

interface Report {
  readonly ok: boolean;
  readonly checks: readonly Verdict[];
}

/** A folder with a configuration, and the doctor's word on it. */
function patient(connection: string, more = "") {
  const cwd = tempDir();
  const config = `queue_connection = "${connection}"\nqueue_name = "mails"\ncommand = "sleep 600"\nmax_workers = 2\nslo_drain_time = "2m"\n${more}`;
  writeFileSync(join(cwd, "effiqueue.toml"), config);
  const run = (...flags: string[]) =>
    effiqueue(["doctor", "--config", "effiqueue.toml", "--state-dir", "state", ...flags], { cwd });
  return {
    cwd,
    run,
    report: async (...flags: string[]) => {
      const { code, stdout } = await run("--json", ...flags);
      const { ok, checks } = JSON.parse(stdout) as Report;
      return { code, ok, about: (subject: string) => checks.find((check) => check.subject === subject) };
    },
  };
}

describe("DESIGN 7.10: effiqueue doctor", () => {
  it("says what is wrong and how to mend it, exits 1, leaves nothing behind and shows no password", async () => {
    const { cwd, run } = patient(NOWHERE, 'metrics_addr = ":0"\n');
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(stdout).toMatch(/^ok {7}configuration: effiqueue\.toml is good: mails\n/);
    expect(stdout).toMatch(
      /\nwarning {2}metrics_addr: :0 is free, and open to every network of this machine\n {9}-> \S/,
    );
    expect(stdout).toMatch(/\nfailed {3}mails: AMQP: .*127\.0\.0\.1:1.*\n {9}-> \S/);
    expect(stdout).toMatch(/\n\n1 check failed, \d+ warnings?\n$/);
    expect(stdout).not.toContain("s3cret");
    expect(readdirSync(cwd)).toEqual(["effiqueue.toml"]);
  });

  it("prints the same as JSON", async () => {
    const { code, ok, about } = await patient(NOWHERE).report("--metrics-addr", "127.0.0.1:0");
    expect({ code, ok }).toEqual({ code: 1, ok: false });
    expect(about("AMQP")).toMatchObject({
      program: "mails",
      status: "failed",
      remedy: expect.stringMatching(/\S/) as string,
    });
    expect(about("metrics_addr")).toEqual({ subject: "metrics_addr", status: "ok", found: "127.0.0.1:0 is free" });
  });

  it("exits 78 for a configuration that does not load, and 64 without one", async () => {
    const bad = await patient(NOWHERE, "max_worker = 3\n").run();
    expect(bad.code).toBe(78);
    expect(bad.stderr).toMatch(/^effiqueue\.toml:6: max_worker: .*max_workers/);
    expect((await effiqueue(["doctor"], { cwd: tempDir() })).code).toBe(64);
  });

  it("tells whose the lock is, and does not take it", async () => {
    const { cwd, report } = patient(NOWHERE);
    const folder = programStateDir(join(cwd, "state"), "mails");
    mkdirSync(folder, { recursive: true });
    const lock = acquireLock(folder, systemClock, { lost: () => undefined, restored: () => undefined });
    onTestFinished(() => lock.release());
    const files = readdirSync(folder);
    expect((await report()).about("state lock")).toMatchObject({
      status: "warning",
      found: `held by process ${process.pid}, so that a second daemon is refused`,
    });
    expect(readdirSync(folder)).toEqual(files);
  });
});

describeBroker("DESIGN 7.10: effiqueue doctor with a broker", () => {
  let broker: TestVhost;
  beforeAll(async () => {
    broker = await testVhost();
  });

  it("fails for a queue that does not exist, and has nothing against one that does", async () => {
    const { report } = patient(broker.amqpUrl, `management_url = "${broker.managementUrl}"\n`);
    const before = await report();
    expect(before).toMatchObject({ code: 1, ok: false });
    expect(before.about("AMQP")).toMatchObject({ status: "ok" });
    expect(before.about("queue")).toMatchObject({ status: "failed", remedy: expect.stringMatching(/\S/) as string });

    await broker.declare("mails");
    const after = await report();
    expect(after).toMatchObject({ code: 0, ok: true });
    expect(after.about("queue")).toMatchObject({ status: "ok" });
    expect(after.about("management API")).toMatchObject({ status: "ok" });
  });
});
