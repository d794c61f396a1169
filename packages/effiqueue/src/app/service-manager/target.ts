/**
 * Where systemd wants to hear from the daemon. The variables are taken out of the environment: a worker that found them would answer for the
 * daemon. DESIGN 7.17.
 */

export interface NotifyTarget {
  /** Path of a datagram socket, or an abstract name that begins with `@`. */
  readonly socket: string;
  /** Milliseconds of silence after which systemd ends the daemon; `null`: it waits for ever. */
  readonly watchdogMs: number | null;
}

/** `null`: nobody listens. */
export function takeNotifyTarget(env: NodeJS.ProcessEnv, pid: number): NotifyTarget | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: watchdogUsec, WATCHDOG_PID: watchdogPid } = env;
  delete env["NOTIFY_SOCKET"];
  delete env["WATCHDOG_USEC"];
  delete env["WATCHDOG_PID"];
  if (socket === undefined || socket === "") return null;
  // Set for the process that the unit started, and inherited by whatever that one started.
  const isOurs = watchdogPid === undefined || Number(watchdogPid) === pid;
  const watchdogMs = Number(watchdogUsec) / 1000;
  return { socket, watchdogMs: isOurs && watchdogMs > 0 ? watchdogMs : null };
}
