/** The units and the Compose file start exactly what they say, and give it the time it needs to stop. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { config } from "../../examples/config.ts";
import { openQueue, stopGracefully, waitForWorkers } from "../support/pool.ts";
import { start } from "../support/processes.ts";
import { makeProject, ROOT } from "../support/project.ts";
import { parseUnit, parseYaml, seconds, type Yaml } from "../support/unit-files.ts";

const UNITS = join(ROOT, "deploy/systemd");
const DOCKER = join(ROOT, "deploy/docker");
/** What autoscale-main.ts and the command line of the other unit ask for. */
const MIN_WORKERS = 2;

const drainTimeoutSec = (program: string): number =>
  Number(/drainTimeoutSec: (\d+)/.exec(readFileSync(join(ROOT, "examples", program), "utf8"))?.[1]);

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe("DESIGN 4.9: systemd", () => {
  describe.each(
    readdirSync(UNITS)
      .filter((name) => name.startsWith("flexiq-"))
      .map((name) => ({ name })),
  )("$name", ({ name }) => {
    const original = readFileSync(join(UNITS, name), "utf8");
    const service = parseUnit(original).get("Service");
    const execStart = service?.get("ExecStart") ?? "";

    it("signals the autoscaler alone, waits longer than a drain takes, and outlives a worker's memory", () => {
      expect(service?.get("KillMode")).toBe("process");
      expect(service?.get("OOMPolicy")).toBe("continue");
      const drainSec = execStart.includes("autoscale-main")
        ? drainTimeoutSec("autoscale-main.ts")
        : config.drainTimeoutSec;
      expect(seconds(service?.get("TimeoutStopSec") ?? "")).toBeGreaterThan(drainSec);
    });

    it("starts its workers with exactly this command and stops cleanly", async () => {
      const { dir, dbPath, env } = makeProject();
      const queue = openQueue(dbPath);
      expect(service?.get("Environment")).toMatch(/^FLEXIQ_DB_PATH=\/var\/lib\/flexiq\//);
      expect(service?.get("WorkingDirectory")).toBe("/opt/myapp");
      const [command = "", ...args] = execStart
        .replaceAll("/opt/myapp", dir)
        .replace("/usr/bin/node", process.execPath)
        .split(" ");
      const autoscaler = start(command, args, { cwd: dir, env });
      expect(await waitForWorkers(queue, MIN_WORKERS, autoscaler)).toHaveLength(MIN_WORKERS);
      await stopGracefully(autoscaler);
    });

    it.skipIf(!hasSystemd)("is a unit that systemd understands", () => {
      const { dir } = makeProject();
      const unit = join(dir, name);
      writeFileSync(unit, original.replaceAll("/opt/myapp", dir).replace("/usr/bin/node", process.execPath));
      const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
      expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: "" });
    });
  });
});

describe("DESIGN 11.10: flexiq-autoscaler.service", () => {
  const service = parseUnit(readFileSync(join(UNITS, "flexiq-autoscaler.service"), "utf8")).get("Service");

  it("is told how the autoscaler is, and waits for more than one tick that is late", () => {
    expect(service?.get("Type")).toBe("notify");
    expect(service?.get("NotifyAccess")).toBe("all");
    expect(seconds(service?.get("WatchdogSec") ?? "")).toBeGreaterThanOrEqual(3 * config.pollIntervalSec);
    expect(service?.get("RestartPreventExitStatus")).toBe("64");
  });
});

describe("DESIGN 4.9: Docker Compose", () => {
  const file = parseYaml(readFileSync(join(DOCKER, "compose.yaml"), "utf8"));
  const autoscaler = pick(file, "services", "autoscaler");

  it("gives the autoscaler an init, a volume that exists and more time than a drain takes", () => {
    expect(autoscaler).toMatchObject({ init: "true", restart: "unless-stopped" });
    expect(seconds(text(autoscaler, "stop_grace_period"))).toBeGreaterThan(drainTimeoutSec("autoscale-main.ts"));
    expect(pick(autoscaler, "volumes")).toEqual(["flexiq_data:/data"]);
    expect(pick(autoscaler, "environment")).toEqual(["FLEXIQ_DB_PATH=/data/flexiq.db"]);
    expect(pick(file, "volumes")).toEqual({ flexiq_data: null });
  });

  it("starts its workers with exactly this command and stops cleanly", async () => {
    const { dir, dbPath, env } = makeProject();
    const queue = openQueue(dbPath);
    const [command = "", ...args] = text(autoscaler, "command").split(" ");
    expect(command).toBe("node");
    const service = start(process.execPath, args, { cwd: dir, env });
    expect(await waitForWorkers(queue, MIN_WORKERS, service)).toHaveLength(MIN_WORKERS);
    await stopGracefully(service);
  });

  it("builds an image that runs the same command, unprivileged, on a volume it may write to", () => {
    const dockerfile = readFileSync(join(DOCKER, "Dockerfile"), "utf8");
    const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? "[]";
    expect((JSON.parse(command) as string[]).join(" ")).toBe(pick(autoscaler, "command"));
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile).toMatch(/install -d -o node -g node \/data\b/);
    expect(dockerfile).toMatch(/FLEXIQ_DB_PATH=\/data\/flexiq\.db/);
  });
});

function text(value: Yaml, key: string): string {
  const found = pick(value, key);
  if (typeof found !== "string") throw new Error(`${key} is no text`);
  return found;
}

function pick(value: Yaml, ...path: readonly string[]): Yaml {
  return path.reduce<Yaml>((at, key) => {
    if (typeof at !== "object" || at === null || Array.isArray(at) || !(key in at)) throw new Error(`no ${key}`);
    return at[key] ?? null;
  }, value);
}
