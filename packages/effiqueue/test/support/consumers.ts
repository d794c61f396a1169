/** Workers that consume a real queue: as commands for a pool, or started by the test itself. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { WorkerCommand } from "../../src/act/options.ts";

export interface ConsumerOptions {
  /** With credentials and vhost. */
  readonly url: string;
  readonly queue: string;
  /** What one message takes. */
  readonly ms: number;
  /** `auto`: the broker counts a message as done when it is sent. `get`: polls and subscribes to nothing. Default `ack`. */
  readonly mode?: "ack" | "auto" | "get" | "reject";
  /** Default 1. */
  readonly prefetch?: number;
  /** Default Node with amqplib; `python` is Debian's Python with pika. */
  readonly language?: "node" | "python";
}

export function consumerCommand(options: ConsumerOptions): WorkerCommand {
  const { url, queue, mode = "ack", ms, prefetch = 1, language = "node" } = options;
  const file = language === "node" ? process.execPath : "/usr/bin/python3";
  const script = fileURLToPath(new URL(`../fixtures/consumer.${language === "node" ? "mjs" : "py"}`, import.meta.url));
  return {
    file,
    args: [script, url, queue, mode, String(ms), String(prefetch)],
    env: { NODE_EXTRA_CA_CERTS: undefined },
  };
}

export interface Consumer {
  readonly pid: number;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts one; it goes with the test at the latest. */
export function startConsumer(options: ConsumerOptions): Consumer {
  const { file, args, env } = consumerCommand(options);
  const child = spawn(file, args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ...env } });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return {
    pid: child.pid ?? 0,
    stop: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}
