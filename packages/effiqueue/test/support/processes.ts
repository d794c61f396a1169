/** Real processes of a test: what they run, whether they live, and their end when the test ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { WorkerCommand } from "../../src/act/options.ts";
import { identityOf, livenessOf } from "../../src/act/platform/identity.ts";
import { thisSystem } from "../../src/act/platform/this-system.ts";
import type { ProcessIdentity } from "../../src/model/worker.ts";
import { killIfThere } from "./kill-if-there.ts";
import { waitFor } from "./wait-for.ts";

/** A worker in `sh`. Scripts announce with `touch "$READY/$$"` that their traps are set. */
export const sh = (script: string, env: Readonly<Record<string, string>> = {}): WorkerCommand => ({
  file: "/bin/sh",
  args: ["-c", script],
  env: { NODE_EXTRA_CA_CERTS: undefined, ...env },
});

/** Runs until it is told to stop, and then stops. */
export const OBEDIENT = sh("exec sleep 600");

/** Announces itself and ignores the stop signal; so does whatever it executes. */
export const STUBBORN = 'trap "" TERM; touch "$READY/$$"; exec sleep 600';

export const isAlive = (pid: number): boolean => identityOf(pid) !== undefined;

/** Nothing of the group lives; zombies are dead. */
export const groupIsGone = (groupId: number): boolean => thisSystem.groupMembers(groupId).length === 0;

export const readyCount = (folder: string): number => (existsSync(folder) ? readdirSync(folder).length : 0);

/** Names of the files in a folder that are pids. */
export const pidsIn = (folder: string): number[] =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** At the end of the test the group of this very process is killed, if it still lives. */
export function killAtEnd(identity: ProcessIdentity): void {
  onTestFinished(() => {
    if (livenessOf(identity) === "alive") killIfThere(-identity.pid);
  });
}

/** Starts a stranger: leader of its own group, unknown to every pool unless `env` says otherwise. */
export async function startStranger(script: string, env: NodeJS.ProcessEnv = {}): Promise<ProcessIdentity> {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore", env: { ...process.env, ...env } });
  const identity = await waitFor(() => identityOf(child.pid ?? 0));
  killAtEnd(identity);
  return identity;
}

export interface Fixture {
  readonly child: ChildProcess;
  /** Resolves with the next line of its output. */
  line(): Promise<string>;
  say(text: string): void;
}

/** Runs a script of `test/fixtures` on the built package. */
export function startFixture(name: string, ...args: string[]): Fixture {
  const script = fileURLToPath(new URL(join("..", "fixtures", name), import.meta.url));
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const child = spawn(process.execPath, [script, ...args], { stdio: ["pipe", "pipe", "inherit"], env });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return {
    child,
    line: () =>
      waitFor(
        () => {
          const end = text.indexOf("\n");
          if (end < 0) return undefined;
          const line = text.slice(0, end);
          text = text.slice(end + 1);
          return line;
        },
        { timeoutMs: 110_000, what: `a line of ${name} (${String(child.pid)})` },
      ),
    say: (said) => child.stdin.write(`${said}\n`),
  };
}
