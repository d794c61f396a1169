/** Metrics and status of an autoscaler as its operators see them: over HTTP, from a real `flexiq autoscale`. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { AutoscaleController } from "flexiq/autoscale";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseExposition, type Sample } from "../../../effiqueue/src/report/metrics/parse.ts";
import { DURATION_METRICS, PROCESS_METRICS, PROGRAM_METRICS } from "../../../effiqueue/src/report/metrics/table.ts";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { QUEUE_METRICS } from "../../src/autoscale/queue-metrics.ts";
import { autoscale, PATIENCE_MS, place, quiet, untilRunning, untilWorkers, urlOf } from "./support.ts";

const PROMTOOL = "promtool";
const hasPromtool = spawnSync(PROMTOOL, ["--version"]).status === 0;
const ANY_PORT = "127.0.0.1:0";

const textOf = async (url: string): Promise<string> => (await fetch(url)).text();

const value = (samples: readonly Sample[], name: string, labels: object = {}): number | undefined =>
  samples.find((each) => each.name === name && Object.entries(labels).every(([key, is]) => each.labels[key] === is))
    ?.value;

describe("DESIGN 11.5: metrics and status of the autoscaler", () => {
  it("are served as the daemon's, with those of the queue, and follow its jobs", async () => {
    const where = place();
    const scaler = autoscale(where, "--metrics-addr", ANY_PORT, "--min-workers", "2", "--max-workers", "2");
    const url = await urlOf(scaler);
    await untilWorkers(where, 2);
    await where.hold(5);
    await untilRunning(where, 2);
    const metrics = async (): Promise<Sample[]> => parseExposition(await textOf(`${url}/metrics`));
    const program = where.app;

    const during = await waitFor(
      async () => {
        const samples = await metrics();
        return (
          value(samples, "flexiq_jobs", { state: "running" }) === 2 && value(samples, "effiqueue_up") === 1 && samples
        );
      },
      { what: "two running jobs in the metrics", timeoutMs: PATIENCE_MS },
    );
    expect(value(during, "effiqueue_workers", { program })).toBe(2);
    expect(value(during, "flexiq_jobs", { program, state: "pending" })).toBe(3);
    expect(value(during, "flexiq_oldest_pending_seconds", { program })).toBeGreaterThan(0);
    expect(value(during, "flexiq_jobs_enqueued_total", { program })).toBe(5);

    where.open();
    const after = await waitFor(
      async () => {
        const samples = await metrics();
        return value(samples, "flexiq_jobs_completed_total") === 5 && samples;
      },
      { what: "five completed jobs in the metrics", timeoutMs: PATIENCE_MS },
    );
    expect(value(after, "flexiq_jobs", { state: "completed" })).toBe(5);
    expect(value(after, "flexiq_oldest_pending_seconds")).toBeUndefined();
    expect(value(after, "flexiq_job_duration_seconds_count", { outcome: "completed" })).toBe(5);
    expect(value(after, "flexiq_job_duration_seconds_sum", { outcome: "completed" })).toBeGreaterThan(0);

    const text = await textOf(`${url}/metrics`);
    const announced = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
      ([, name, type]) => `${name ?? ""} ${type ?? ""}`,
    );
    const tables = [...PROGRAM_METRICS, ...DURATION_METRICS, ...PROCESS_METRICS, ...QUEUE_METRICS];
    expect(announced.sort()).toEqual(tables.map(({ name, type }) => `${name} ${type}`).sort());
    if (hasPromtool) {
      const { status, stdout, stderr } = spawnSync(PROMTOOL, ["check", "metrics"], { input: text, encoding: "utf8" });
      expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: "", stderr: "" });
    }

    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ ok: true, reasons: [] });
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({ ok: true, reasons: [] });
    const status = (await (await fetch(`${url}/api/status`)).json()) as { programs: unknown[] };
    // Everybody who shows it names our flags, not the keys of the daemon's file.
    const settings = { max_workers: "--max-workers", slo_drain_time: "--slo-drain-time" };
    expect(status.programs).toMatchObject([
      { program, mode: "hpa", minWorkers: 2, maxWorkers: 2, state: "running", settings },
    ]);
    const decisions = (await (await fetch(`${url}/api/decisions`)).json()) as {
      programs: { program: string; decisions: { action: string; desiredWorkers: number }[] }[];
    };
    expect(decisions.programs.map((each) => each.program)).toEqual([program]);
    expect(decisions.programs[0]?.decisions[0]).toMatchObject({ action: "grow", desiredWorkers: 2 });

    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
  });

  it("end the start when the address is taken, before any worker, with the remedy and exit code 69", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const where = place();
    const scaler = autoscale(where, "--metrics-addr", `127.0.0.1:${port}`);
    expect(await scaler.ended).toBe(69);
    expect(scaler.text()).toMatch(
      /^flexiq: metricsAddr "127\.0\.0\.1:\d+": another process listens there: choose another port/,
    );
    expect(scaler.of("act.worker.spawned")).toEqual([]);
    // The lock was given back.
    const next = autoscale(where, "--metrics-addr", ANY_PORT);
    await untilWorkers(where, 1);
    next.child.kill("SIGTERM");
    expect(await next.ended).toBe(0);
  });

  it("are for those who show the token, and are known by further names", async () => {
    const where = place();
    const token = randomBytes(16).toString("hex");
    const file = join(where.dir, "token");
    writeFileSync(file, token, { mode: 0o640 });
    const flags = ["--metrics-token-file", file, "--metrics-host", "worker-1.internal", "--metrics-host", "worker-1"];
    const scaler = autoscale(where, "--metrics-addr", ANY_PORT, ...flags);
    const url = await urlOf(scaler);
    const statusOf = async (headers: Record<string, string>): Promise<number | undefined> => {
      const reply = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${url}/metrics`, { headers, agent: false }, resolve).on("error", reject);
      });
      reply.resume();
      return reply.statusCode;
    };
    const authorization = `Bearer ${token}`;
    expect(await statusOf({})).toBe(401);
    expect(await statusOf({ authorization })).toBe(200);
    expect(await statusOf({ authorization, host: "worker-1.internal" })).toBe(200);
    expect(await statusOf({ authorization, host: "worker-1" })).toBe(200);
    expect(await statusOf({ authorization, host: "worker-2" })).toBe(403);
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(scaler.text()).not.toContain(token);
  });

  it("end the start when the token is everybody's, before any worker, with the remedy", async () => {
    const where = place();
    const file = join(where.dir, "token");
    writeFileSync(file, randomBytes(16).toString("hex"));
    chmodSync(file, 0o644);
    const scaler = autoscale(where, "--metrics-addr", ANY_PORT, "--metrics-token-file", file);
    expect(await scaler.ended).toBe(1);
    expect(scaler.text()).toMatch(/^flexiq: metricsTokenFile ".*": every user of this machine may read .*; chmod 640 /);
    expect(scaler.of("act.worker.spawned")).toEqual([]);
  });

  it("serve an embedded autoscaler of any queue from its first tick to its end", async () => {
    const { options } = quiet();
    const queue = { stats: () => ({ pending: 7, running: 0 }) };
    const config = {
      appPath: "mine",
      minWorkers: 0,
      maxWorkers: 1,
      targetQueueDepthPerWorker: 10,
      metricsAddr: ANY_PORT,
    };
    const command = { file: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
    const controller = new AutoscaleController(queue, config, { ...options, command });
    expect(controller.metricsAddress).toBeNull();
    await controller.tick();
    const url = `http://${String(controller.metricsAddress)}/metrics`;
    const samples = parseExposition(await textOf(url));
    expect(value(samples, "effiqueue_backlog_ready", { program: "mine" })).toBe(7);
    expect(samples.filter(({ name }) => name.startsWith("flexiq_"))).toEqual([]);
    await controller.stop();
    await expect(fetch(url)).rejects.toThrow();
  });

  it("leave out what the queue cannot tell, and answer all the rest", async () => {
    const where = place();
    const { options } = quiet();
    const config = { appPath: where.app, minWorkers: 0, maxWorkers: 1, metricsAddr: ANY_PORT };
    const controller = new AutoscaleController(where.queue, config, options);
    await controller.tick();
    const url = `http://${String(controller.metricsAddress)}/metrics`;
    expect(await textOf(url)).toContain("flexiq_jobs{");
    where.queue.store.close();
    const text = await waitFor(
      async () => {
        const now = await textOf(url);
        return !now.includes("flexiq_jobs{") && now;
      },
      { what: "metrics without those of the queue" },
    );
    expect(text).toContain("effiqueue_workers{");
    await controller.stop();
  });
});
