// A lane is a process that stands ready and works only when it is told to. Each contender has its own, so they can
// take turns in slices of a second without sharing a heap, a JIT or even a version of Node.
import { spawn } from "node:child_process";
import { once } from "node:events";

/** Certificates of the environment cost every start of Node 20 some 50 ms and serve nothing here. */
export const cleanEnv = () => ({ ...process.env, NODE_EXTRA_CA_CERTS: undefined });

const running = new Set();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Spawns a process that dies with the benchmark, by its pid. */
export function start(file, args, { env = {}, stdio = ["ignore", "inherit", "inherit"], ...options } = {}) {
  const child = spawn(file, args, { stdio, env: { ...cleanEnv(), ...env }, ...options });
  running.add(child);
  child.once("exit", () => running.delete(child));
  return child;
}

export async function stop(child, signal = "SIGTERM", graceMs = 5000) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  const kill = setTimeout(() => child.kill("SIGKILL"), graceMs);
  await exited;
  clearTimeout(kill);
}

export class Lane {
  #child;
  #pending = new Map();
  #nextId = 0;

  /** Starts `file` and waits until it says that it is ready. */
  static async open(node, file, args, env = {}) {
    const lane = new Lane();
    lane.#child = start(node, [file, ...args], { env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const ready = new Promise((resolve, reject) => {
      lane.#child.once("exit", (code, signal) => {
        const error = new Error(`${args.join(" ")} ended with ${signal ?? `exit code ${code}`}`);
        reject(error);
        for (const { reject: fail } of lane.#pending.values()) fail(error);
      });
      lane.#child.on("message", ({ id, value, error }) => {
        if (id === "ready") return resolve();
        const call = lane.#pending.get(id);
        lane.#pending.delete(id);
        if (error === undefined) call.resolve(value);
        else call.reject(new Error(`${args.join(" ")}: ${error}`));
      });
    });
    await ready;
    return lane;
  }

  get pid() {
    return this.#child.pid;
  }

  call(method, ...args) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#child.send({ id, method, args });
    });
  }

  kill() {
    this.#child.kill("SIGKILL");
  }

  async close() {
    await stop(this.#child);
  }
}

/** The other end: answers calls with the methods of `target`, until the parent goes away. */
export function serve(target) {
  process.on("message", async ({ id, method, args }) => {
    try {
      process.send({ id, value: await target[method](...args) });
    } catch (error) {
      process.send({ id, error: error.stack ?? String(error) });
    }
  });
  process.on("disconnect", () => process.exit(0));
  process.send({ id: "ready" });
}
