/**
 * Commands that put the worker where a pool cannot see it: it counts as the wrapper, whose memory is nothing, and the wrapper's end may
 * leave it running. DESIGN 5.1. Pure.
 */

/** They start a session, so the signals of the group pass the worker by, and SIGKILL ends the wrapper alone. */
const NEW_SESSION = new Set(["su", "sudo", "setsid", "script", "screen", "tmux", "daemonize", "start-stop-daemon"]);

/** There it is no descendant of ours at all; of these some pass stop signals on, and none a SIGKILL. */
const ELSEWHERE = new Set(["docker", "podman", "nerdctl", "kubectl", "ssh", "systemd-run"]);

/** `undefined`: the command is none of them. */
export function wrapperAdvice(command: string): string | undefined {
  const words = command.trim().split(/\s+/);
  const first = words.find((word) => word !== "exec" && !/^\w+=/.test(word)) ?? "";
  const name = first.slice(first.lastIndexOf("/") + 1);
  if (NEW_SESSION.has(name)) {
    const instead = name === "su" || name === "sudo" ? "the key user does the same without" : "leave it away";
    return `${name} puts the worker into a session of its own, where its memory is not measured and a stop may leave it running; ${instead}`;
  }
  if (ELSEWHERE.has(name)) {
    return `${name} runs the worker where its memory is not measured and a stop may leave it running; run effiqueue where the worker is to run`;
  }
  return undefined;
}
