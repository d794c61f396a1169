// The process under test, a daemon or an autoscaler, through its deaths: started, watched, killed, started again.
import { spawn, spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { cleanEnv } from "../lib/lane.mjs";
import { sleep, waitFor } from "../lib/wait.mjs";
import { signal } from "./table.mjs";

/** Faults of ours: none of the faults from outside may end in one. */
const OURS = /a fault of \S+ that nobody caught|loop\.tick\.failed|unhandled|Warning: /i;
/** What a stop may take: the drain timeout, ten seconds of grace, and a machine that is busy. */
const STOP_MS = 60_000;
/** It looks at queues that may not answer before it says so. */
const START_MS = 60_000;

/** @param drained whether nothing of it lives */
export function keeperOf({ args, cwd, env, logFile, drained }) {
  let child;
  let ended;
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const log = () => (existsSync(logFile) ? readFileSync(logFile, "utf8") : "");
  const times = () => log().split('"loop.tick.decided"').length;
  /** Resolves when it is there, or has ended. */
  const start = async () => {
    const before = times();
    const output = openSync(logFile, "a");
    child = spawn(process.execPath, args, { cwd, env: { ...cleanEnv(), ...env }, stdio: ["ignore", output, output] });
    closeSync(output);
    ended = new Promise((resolve) => child.once("exit", (code, by) => resolve(by ?? code)));
    await waitFor(() => times() > before || !isRunning(), "it to start", { timeoutMs: START_MS });
  };
  const keeper = {
    start,
    log,
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    /** SIGTERM: it ends well and leaves nobody. */
    stop: async () => {
      child.kill("SIGTERM");
      const end = await Promise.race([ended, sleep(STOP_MS, "not within its time", { ref: false })]);
      if (end !== 0) throw new Error(`stopped, it ended with ${end}`);
      await waitFor(() => drained(), "the end of all workers");
    },
    hold: async (ms) => {
      signal(child.pid, "SIGSTOP");
      await sleep(ms);
      signal(child.pid, "SIGCONT");
    },
    /** It can open no more files for a while. */
    starve: async (ms) => {
      const limit = (soft) => spawnSync("prlimit", ["--pid", String(child.pid), `--nofile=${soft}:`]);
      limit(3);
      await sleep(ms);
      limit(1024);
    },
    signal: (name) => signal(child.pid, name),
    /** Another one on the same state is refused. */
    second: async () => {
      const other = spawn(process.execPath, args, { cwd, env: { ...cleanEnv(), ...env }, stdio: "ignore" });
      const code = await new Promise((resolve) => other.once("exit", (status, by) => resolve(by ?? status)));
      if (code !== 69) throw new Error(`a second one ended with ${code} instead of 69`);
    },
    check: () => {
      if (!isRunning()) throw new Error(`it has ended by itself (${child.exitCode ?? child.signalCode})`);
      const fault = log()
        .split("\n")
        .find((line) => OURS.test(line));
      if (fault !== undefined) throw new Error(`it had a fault: ${fault}`);
    },
    pid: () => child.pid,
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024,
    destroy: () => child?.kill("SIGKILL"),
  };
  return keeper;
}
