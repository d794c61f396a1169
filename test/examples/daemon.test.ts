/** What README and docs/operating.md say of the daemon: its ten lines, its commands, its unit. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { KEYS } from "../../packages/effiqueue/src/model/keys.ts";
import { parseDuration } from "../../packages/effiqueue/src/model/quantities.ts";
import { tempDir } from "../../packages/effiqueue/test/support/temp-dir.ts";
import { waitFor } from "../../packages/effiqueue/test/support/wait-for.ts";
import { nobodyLeft, run, start } from "../support/processes.ts";
import { ROOT } from "../support/project.ts";
import { parseUnit, parseYaml, seconds } from "../support/unit-files.ts";

const CLI = join(ROOT, "packages/effiqueue/dist/cli/main.js");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const effiqueue = (...args: string[]): ReturnType<typeof run> =>
  run(process.execPath, [CLI, ...args], { cwd: tempDir(), env: { RABBITMQ_PASSWORD: "secret-word" } });

/** Lines of shell that begin with `effiqueue`, without their comments. */
const commandsIn = (path: string): string[] => [
  ...new Set(
    [...read(path).matchAll(/^(?:ExecStart=\S*\/)?effiqueue ([^#\n]*)/gm)].map(([, words = ""]) => words.trim()),
  ),
];

describe("DESIGN 7.9: the daemon as it is written about", () => {
  const tenLines = /^```toml\n# effiqueue\.toml\n([^]*?)^```/m.exec(read("README.md"))?.[1] ?? "";

  it("has ten lines in the README that are a good configuration, without a warning", async () => {
    const file = join(tempDir(), "effiqueue.toml");
    writeFileSync(file, tenLines);
    const { code, stdout } = await effiqueue("validate-config", "--config", file);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${file} is good: 1 program\n  messages  slo  rabbitmq queue messages  1 to 20 workers, drained within 120 s\n`,
    });
  });

  it("adds to a file of Supervisor what makes it good for both, as the page says", async () => {
    const added = /^```ini\n([^]*?)^```/m.exec(read("docs/operating.md"))?.[1] ?? "";
    const file = join(tempDir(), "supervisord.conf");
    writeFileSync(file, added.replace(/(?<=^\[program:.*\n)/m, "command=sleep 60\nnumprocs=8\nautorestart=true\n"));
    const { code, stdout } = await effiqueue("validate-config", "--config", file);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${file} is good: 1 program\n  mailer  slo  rabbitmq queue mail  0 to 8 workers, drained within 120 s\n`,
    });
  });

  it.each(["README.md", "docs/operating.md", "deploy/systemd/effiqueue.service"])(
    "names commands and flags in %s that are there",
    async (path) => {
      const commands = commandsIn(path);
      expect(commands.length).toBeGreaterThan(0);
      for (const words of commands) {
        const [command = ""] = words.split(" ");
        const { code, stdout } = await effiqueue(command, "--help");
        expect(code, words).toBe(0);
        for (const [flag] of words.matchAll(/--[\w-]+/g)) expect(stdout, words).toContain(flag);
      }
    },
  );

  it("tells every exit code alike in the help, in the docs and in DESIGN", async () => {
    const { stdout } = await effiqueue("--help");
    const codes = (text: string): string[] => [...text.matchAll(/\b(0|1|64|69|70|78)\b/g)].map(([code]) => code);
    const table = read("docs/operating.md").split("## Exit codes")[1] ?? "";
    expect([...table.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => code)).toEqual(["0", "1", "64", "69", "70", "78"]);
    expect(codes(stdout.split("Exit codes:")[1] ?? "")).toEqual(["0", "1", "64", "69", "70", "78"]);
  });
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe("DESIGN 4.9: effiqueue.service", () => {
  const original = read("deploy/systemd/effiqueue.service");
  const service = parseUnit(original).get("Service");

  it("signals the daemon alone, waits longer than a drain takes, and outlives a worker's memory", () => {
    expect(service?.get("KillMode")).toBe("process");
    expect(seconds(service?.get("TimeoutStopSec") ?? "")).toBeGreaterThan(
      parseDuration(KEYS.drain_timeout.default) ?? 0,
    );
    expect(service?.get("OOMPolicy")).toBe("continue");
    expect(service?.get("RestartPreventExitStatus")).toBe("64 78");
    expect(service?.get("StateDirectory")).toBe("effiqueue");
  });

  it("is told how the daemon is, and waits for more than one tick that is late (DESIGN 7.17)", () => {
    expect(service?.get("Type")).toBe("notify");
    expect(service?.get("NotifyAccess")).toBe("all");
    const pollSec = parseDuration(KEYS.poll_interval.default) ?? Number.POSITIVE_INFINITY;
    expect(seconds(service?.get("WatchdogSec") ?? "")).toBeGreaterThanOrEqual(3 * pollSec);
  });

  it("starts its workers with exactly this command, keeps its state where systemd says, and stops cleanly", async () => {
    const dir = tempDir();
    const config = join(dir, "etc/effiqueue/effiqueue.toml");
    mkdirSync(dirname(config), { recursive: true });
    writeFileSync(
      config,
      'command = "sleep 600"\nqueue_connection = "amqp://127.0.0.1:1"\nqueue_name = "q"\nmin_workers = 2\nmax_workers = 2\nslo_drain_time = 60\n',
    );
    const [command = "", ...args] = (service?.get("ExecStart") ?? "").replace("/etc/", `${dir}/etc/`).split(" ");
    expect(command).toBe("/opt/effiqueue/node_modules/.bin/effiqueue");
    const daemon = start(process.execPath, [CLI, ...args], { cwd: dir, env: { STATE_DIRECTORY: join(dir, "state") } });
    await waitFor(() => daemon.output().split("act.worker.spawned").length > 2, { what: "two workers" });
    expect(readdirSync(join(dir, "state/q"))).toContain("workers.json");

    daemon.child.kill("SIGTERM");
    const { code, stderr } = await daemon.ended();
    expect(code, stderr).toBe(0);
    await nobodyLeft(daemon);
  });

  it.skipIf(!hasSystemd)("is a unit that systemd understands", () => {
    const dir = tempDir();
    const command = join(dir, "effiqueue");
    writeFileSync(command, "#!/bin/sh\n", { mode: 0o755 });
    const unit = join(dir, "effiqueue.service");
    writeFileSync(
      unit,
      original.replaceAll("/opt/effiqueue/node_modules/.bin/effiqueue", command).replace("/opt/myapp", dir),
    );
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: "" });
  });
});

describe("DESIGN 4.9: the container of the daemon", () => {
  const dockerfile = read("deploy/docker/effiqueue/Dockerfile");
  const compose = parseYaml(read("deploy/docker/effiqueue/compose.yaml")) as {
    services: { workers: Record<string, unknown> };
  };

  it("has an init, waits longer than a drain takes, and keeps its state where the command looks for it", () => {
    const { workers } = compose.services;
    expect(workers).toMatchObject({ init: "true", restart: "unless-stopped" });
    expect(seconds(String(workers["stop_grace_period"]))).toBeGreaterThan(
      parseDuration(KEYS.drain_timeout.default) ?? Number.POSITIVE_INFINITY,
    );
    expect(workers["tmpfs"]).toEqual([expect.stringMatching(/^\/run\/effiqueue:uid=1000,/)]);
    expect(dockerfile).toContain('"--state-dir", "/run/effiqueue"');
  });

  it("runs the daemon itself, unprivileged, with a command that it takes", () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    const [command, ...args] = JSON.parse(/^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]") as string[];
    expect(command).toBe("node_modules/.bin/effiqueue");
    const dir = tempDir();
    writeFileSync(join(dir, "effiqueue.toml"), 'command = "x"\nmax_worker = 1\n');
    const { status, stderr } = spawnSync(process.execPath, [CLI, ...args], { cwd: dir, encoding: "utf8" });
    // It reads the file of the image, and finds what is wrong with it.
    expect({ status, stderr }).toEqual({
      status: 78,
      stderr: expect.stringContaining("did you mean max_workers?") as string,
    });
  });
});
