/** A daemon that is told what to do, by the commands that its operator has. */
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DaemonSetup, daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { quietConfig, runningDaemon, stateOf, told } from "../support/quiet-daemon.ts";
import { tempDir } from "../support/temp-dir.ts";

const socketOf = (setup: DaemonSetup, program: string): string => join(stateOf(setup), program, "control.sock");

describe("DESIGN 7.12: the control socket of a daemon", () => {
  it("tells how the programs are, and is gone with the daemon", async () => {
    const setup = daemonOn(quietConfig());
    const { daemon } = await runningDaemon(setup);
    const status = await told(setup, "status");
    expect(status).toMatchObject({ code: 0, stderr: "" });
    expect(status.stdout).toMatch(new RegExp(`process ${daemon.pid}, for \\d+ s: ${setup.file}`));
    expect(status.stdout).toMatch(/^orders +unreadable +2 /m);
    expect(status.stdout).toMatch(/^mail +unreadable +1 /m);

    const one = JSON.parse((await told(setup, "status", "mail", "--json")).stdout) as Record<string, unknown>;
    expect(one).toMatchObject({ pid: daemon.pid, config: setup.file, programs: [{ program: "mail" }] });
    expect(await told(setup, "status", "order")).toMatchObject({
      code: 1,
      stderr: 'effiqueue: the daemon has no program "order", did you mean "orders"?\n',
    });

    expect(await daemon.stop()).toBe(0);
    expect(existsSync(socketOf(setup, "orders"))).toBe(false);
    expect(await told(setup, "status")).toMatchObject({
      code: 69,
      stderr: expect.stringContaining(`no daemon runs with its state in ${stateOf(setup)}`) as string,
    });
  });

  it("is found by a configuration that is wrong by now, among daemons that share a folder", async () => {
    const [one, two] = [
      daemonOn(quietConfig()),
      daemonOn(quietConfig().replace("orders", "letters").replace('"mail"', '"post"')),
    ];
    await runningDaemon(one);
    const other = two.run("--state-dir", stateOf(one));
    await other.logged("app.daemon.started");
    await other.workersOf(3);
    expect((await told(one, "status")).stderr).toMatch(
      /several daemons .*; name the one you mean: --config .* or --config /,
    );

    writeFileSync(
      two.file,
      `state_dir = "${stateOf(one)}"\nqueue_connection = "\${NOBODY_SET_THIS}"\nthis is = "no key"\n`,
    );
    const broken = await effiqueue(["status", "--config", two.file], { cwd: one.dir });
    expect(broken).toMatchObject({ code: 78 });
    writeFileSync(
      two.file,
      `state_dir = "${stateOf(one)}"\nqueue_connection = "\${NOBODY_SET_THIS}"\nthis_is = "no key"\n`,
    );
    const found = await effiqueue(["status", "--config", two.file], { cwd: one.dir });
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toContain(`process ${other.pid},`);
    const stranger = join(tempDir(), "other.toml");
    writeFileSync(stranger, quietConfig());
    expect((await told(one, "status", "--config", stranger)).stderr).toMatch(
      /no daemon runs .*other.toml; in .* there runs /,
    );
  });

  it("answers explain and top without an address and without a token", async () => {
    const setup = daemonOn(quietConfig());
    await runningDaemon(setup);
    const byFolder = ["--state-dir", stateOf(setup), "--config", setup.file];
    const explained = await effiqueue(["explain", "orders", ...byFolder], { cwd: setup.dir });
    expect(explained).toMatchObject({ code: 0, stderr: "" });
    expect(explained.stdout).toMatch(/^orders \(mode threshold\): 2 to 6 workers/);
    const top = await effiqueue(["top", "mail", "--once", "--json", ...byFolder], { cwd: setup.dir });
    expect(JSON.parse(top.stdout)).toMatchObject({ programs: [{ program: "mail", minWorkers: 1, maxWorkers: 3 }] });
  });

  it("is taken over from a daemon that was killed", async () => {
    const setup = daemonOn(quietConfig());
    const { daemon: first } = await runningDaemon(setup);
    first.kill("SIGKILL");
    await first.ended;
    expect(existsSync(socketOf(setup, "orders"))).toBe(true);
    expect((await told(setup, "status")).code).toBe(69);
    const second = setup.run();
    await second.workersOf(3, "act.worker.adopted");
    await second.logged("app.daemon.started");
    expect((await told(setup, "status")).stdout).toContain(`process ${second.pid},`);
  });

  it("is no business of another user", async () => {
    const setup = daemonOn(quietConfig());
    await runningDaemon(setup);
    // Root may everything, so as root the question comes from somebody else; else the folder is made somebody else's.
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chmodSync(setup.dir, 0o755);
    chmodSync(stateOf(setup), isRoot ? 0o700 : 0o000);
    const through = isRoot ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    for (const command of ["status", "explain"]) {
      const asked = await effiqueue([command, "--state-dir", stateOf(setup)], { cwd: setup.dir, through });
      const stderr = expect.stringContaining("it belongs to another user") as string;
      expect(asked, command).toMatchObject({ code: 69, stderr });
    }
    chmodSync(stateOf(setup), 0o700);
  });

  it("costs the daemon its commands, and not its workers, where it cannot be had", async () => {
    const setup = daemonOn(quietConfig());
    mkdirSync(socketOf(setup, "orders"), { recursive: true });
    const { daemon } = await runningDaemon(setup);
    expect(daemon.lines("app.control.unavailable")).toMatchObject([{ program: "orders" }]);
    expect((await told(setup, "status")).stdout).toContain(`process ${daemon.pid},`);
    expect(await daemon.stop()).toBe(0);
  });
});
