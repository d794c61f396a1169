/** Every way in which somebody, or something, asks `flexiq autoscale` to end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import {
  autoscale,
  CLI,
  isAlive,
  PATIENCE_MS,
  place,
  type Run,
  run,
  untilRunning,
  untilWorkers,
  workerPids,
} from "./support.ts";

const untilSaid = (scaler: Run, text: string): Promise<unknown> =>
  waitFor(() => scaler.log().some(({ msg }) => msg.includes(text)), { what: text, timeoutMs: PATIENCE_MS });

describe("DESIGN 11.4: the end", () => {
  it("takes a closed terminal for the end too, and leaves no worker behind", async () => {
    const where = place();
    const scaler = autoscale(where, "--min-workers", "2");
    const pids = await untilWorkers(where, 2);
    scaler.child.kill("SIGHUP");
    expect(await scaler.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("takes one Ctrl-C that arrives twice, from the terminal and from npm, for one: running jobs end", async () => {
    const where = place();
    const scaler = autoscale(where, "--min-workers", "1", "--max-workers", "1", "--drain-timeout", "3600");
    const [id] = await where.hold(1);
    await untilRunning(where, 1);
    scaler.child.kill("SIGINT");
    scaler.child.kill("SIGTERM");
    await untilSaid(scaler, "told to stop");
    where.open();
    expect(await scaler.ended).toBe(0);
    expect(await where.queue.job(id ?? 0)).toMatchObject({ state: "completed", attempts: 1 });
    expect(scaler.of("act.worker.exited")).toMatchObject([{ kind: "stopped" }]);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("ends at %s while the app still loads", async (signal) => {
    const where = place(`console.log("loading"); await sleep(3_600_000);`);
    const scaler = autoscale(where);
    await waitFor(() => scaler.text() === "loading", { what: "the app", timeoutMs: PATIENCE_MS });
    scaler.child.kill(signal);
    // Not by the signal's default action, which process 1 of a container does not have.
    expect(await scaler.ended).toBe(0);
    expect(readdirSync(where.dir)).not.toContain("data.autoscale");
  });

  it("ends when the shell that npm put in between was killed, which told nobody", async () => {
    const where = place();
    const script = `"$0" "$@"; :`;
    const args = [CLI, "autoscale", "--app", where.app, "--poll-interval", "0.1"];
    const shell = spawn("sh", ["-c", script, process.execPath, ...args], {
      cwd: where.dir,
      env: { ...where.env, npm_command: "exec", EFFIQUEUE_LOG: "silent" },
      stdio: "ignore",
    });
    const pids = await untilWorkers(where, 1);
    onTestFinished(() => {
      for (const pid of pids) if (isAlive(pid)) process.kill(-pid, "SIGKILL");
    });
    shell.kill("SIGTERM");
    await once(shell, "exit");
    await waitFor(() => !pids.some(isAlive), { what: "the end of the worker", timeoutMs: PATIENCE_MS });
    // And of the autoscaler: its lock is free.
    const next = autoscale(where);
    await untilWorkers(where, 1);
    next.child.kill("SIGTERM");
    expect(await next.ended).toBe(0);
  });
});

describe("DESIGN 11.4: errors of the app", () => {
  it("go on record once, and the autoscaler goes on with its workers", async () => {
    const where = place(`
      if (process.argv.includes("autoscale")) {
        let times = 0;
        const timer = setInterval(() => {
          if (++times === 3) clearInterval(timer);
          throw new Error("no connection to the cache");
        }, 20);
        setTimeout(() => Promise.reject(new Error("nor to the mail server")), 200);
      }`);
    const scaler = autoscale(where, "--min-workers", "2");
    await untilSaid(scaler, "mail server");
    const pids = await untilWorkers(where, 2);
    expect(scaler.log().filter(({ msg }) => msg.includes("no connection to the cache"))).toMatchObject([
      { level: "error" },
    ]);
    expect(scaler.text()).toBe("");
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(await workerPids(where)).toEqual([]);
  });

  it("end nothing but themselves when the reader of its log has gone", async () => {
    const where = place();
    const scaler = run(where, [
      "-e",
      `const { spawn } = require("node:child_process");
       const child = spawn(process.execPath, ${JSON.stringify([CLI, "autoscale", "--app", where.app, "--poll-interval", "0.05"])}, { stdio: ["ignore", "pipe", "pipe"] });
       child.stdout.destroy();
       child.stderr.once("data", () => child.stderr.destroy());
       process.on("SIGTERM", () => child.kill("SIGTERM"));
       child.on("exit", (code) => process.exit(code ?? 99));`,
    ]);
    await untilWorkers(where, 1);
    const [id] = await where.hold(1);
    await untilRunning(where, 1);
    where.open();
    await where.queue.result(id ?? 0, { timeoutMs: PATIENCE_MS });
    scaler.child.kill("SIGTERM");
    expect(await scaler.ended).toBe(0);
    expect(await workerPids(where)).toEqual([]);
  });
});
