/** What stands for systemd: the socket that it listens at, and its word on a unit. */
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";
import { waitFor } from "./wait-for.ts";

const PYTHON = "/usr/bin/python3";
const succeeds = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

/** Its command, by which it is told. */
export const hasSystemd = succeeds("systemd-notify", "--version") && succeeds(PYTHON, "--version");

interface NotifyListener {
  readonly socket: string;
  /** What systemd would have been told so far. */
  readonly messages: Record<string, string>[];
}

export async function notifyListener(): Promise<NotifyListener> {
  const socket = join(tempDir(), "notify");
  const script = fileURLToPath(new URL("../fixtures/notify-socket.py", import.meta.url));
  const child = spawn(PYTHON, [script, socket], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const messages: Record<string, string>[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    messages.push(JSON.parse(line) as Record<string, string>);
  });
  await waitFor(() => messages.length > 0, { what: "a listener" });
  messages.length = 0;
  return { socket, messages };
}

/** A command that puts the process behind it into a unit, as far as that can see. Needs `mayMount`. */
export function inUnit(name: string, timeoutStop: string): { through: readonly string[]; env: Record<string, string> } {
  const dir = tempDir();
  const membership = join(dir, "cgroup");
  writeFileSync(membership, `0::/system.slice/${name}\n`);
  writeFileSync(join(dir, "systemctl"), `#!/bin/sh\necho ${timeoutStop}\n`, { mode: 0o755 });
  const enter = `mount --bind "$0" /proc/$$/cgroup && exec "$@"`;
  return {
    through: ["unshare", "--mount", "sh", "-c", enter, membership],
    env: { PATH: `${dir}:${process.env["PATH"] ?? ""}` },
  };
}
