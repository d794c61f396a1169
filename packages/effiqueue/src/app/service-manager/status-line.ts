/** The state of the daemon in one line, for `systemctl status`. Only what changes seldom: each change costs a process. DESIGN 7.17. */
import type { ProgramStatus, StatusReply } from "../../report/api-types.ts";
import { counted } from "../../report/explain-words.ts";

export function statusLine({ programs }: StatusReply): string {
  return programs.map((program) => `${program.program}: ${stateOf(program)}`).join("; ");
}

function stateOf({ state, workers, decision }: ProgramStatus): string {
  if (state === "starting" || state === "lost") return state;
  const { current = 0 } = workers ?? {};
  const count = counted(current, "worker");
  if (state === "unreadable") return `${count}, the queue cannot be read`;
  const gap = decision?.gap;
  return gap == null ? count : `${count}, ${gap.workers} missing (${decision?.boundBy ?? "?"})`;
}
