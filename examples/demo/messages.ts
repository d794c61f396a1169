/** What the demo's own processes tell it, over the channel they were forked with. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

export type Message =
  /** Ids of jobs whose enqueue was acknowledged. */
  | { readonly kind: "enqueued"; readonly ids: readonly number[] }
  /** A record of the autoscaler's log. */
  | { readonly kind: "log"; readonly fields: Readonly<Record<string, unknown>>; readonly text: string };

export const tell = (message: Message): void => {
  if (process.connected) process.send?.(message, () => {}); // the demo may just have ended
};

/**
 * Stops this process as a service manager would when the demo is gone, however it ended: nothing is left behind.
 *
 * @returns to be called when the work is done; the channel then no longer keeps this process alive
 */
export const stopWithDemo = (): (() => void) => {
  const stop = (): void => {
    process.kill(process.pid, "SIGTERM");
  };
  process.once("disconnect", stop);
  return () => process.off("disconnect", stop);
};

export interface Helper {
  readonly name: string;
  readonly exited: Promise<string>;
  hasExited(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/**
 * Starts a module of the demo as a process of its own, in its own group, so that ctrl-C reaches it through the demo only.
 *
 * @returns `exited` resolves with how it ended: an exit code or the name of a signal
 */
export function startHelper(
  name: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; log: number; onMessage: (message: Message) => void },
): Helper {
  const child = fork(fileURLToPath(new URL(`./${name}.js`, import.meta.url)), args, {
    env: options.env,
    detached: true,
    stdio: ["ignore", options.log, options.log, "ipc"],
  });
  child.on("message", (message) => options.onMessage(message as Message));
  let ended = false;
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => resolve(String(code ?? signal)));
    child.once("error", (error) => resolve(error.message));
  });
  void exited.then(() => (ended = true));
  return {
    name,
    exited,
    hasExited: () => ended,
    signal: (signal) => {
      if (!ended) child.kill(signal);
    },
  };
}
