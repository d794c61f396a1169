/** `effiqueue status`: how the programs of a running daemon are, one line each. DESIGN 7.12. */
import { Command } from "commander";
import type { FoundDaemon } from "../app/control/find.ts";
import { chosen } from "../app/no-program.ts";
import { ask } from "../app/status-client.ts";
import type { ProgramStatus, StatusReply } from "../report/api-types.ts";
import { dayAndTime, durationText } from "../report/explain-words.ts";
import { type DaemonFlags, daemonOf, withDaemon } from "./daemon.ts";
import { printJson, printText } from "./output.ts";
import { table } from "./table.ts";

export function statusCommand(): Command {
  const command = new Command("status").argument("[program]", "its name in the configuration; default: every program");
  return withDaemon(command).action(status);
}

async function status(wanted: string | undefined, { json, ...flags }: DaemonFlags): Promise<void> {
  const daemon = await daemonOf(flags);
  const reply = await ask(daemon.endpoint, "/api/status");
  const programs = chosen(reply.programs, wanted);
  if (json === true) printJson({ pid: daemon.pid, config: daemon.config, ...reply, programs });
  else printText(statusText(daemon, { ...reply, programs }));
}

function statusText({ pid, config }: FoundDaemon, { version, uptimeSec, programs }: StatusReply): string {
  const head = `effiqueue ${version}, process ${pid}, for ${durationText(uptimeSec)}: ${config}`;
  return `${head}\n\n${table([["PROGRAM", "STATE", "WORKERS", "NEEDED", "FIT", "BACKLOG", "BY HAND"], ...programs.map(row)])}`;
}

function row(status: ProgramStatus): string[] {
  const { program, state, workers, decision, queue } = status;
  const current =
    workers === null ? "?" : `${workers.current}${workers.draining > 0 ? ` +${workers.draining} draining` : ""}`;
  return [
    program,
    state,
    current,
    known(decision?.neededWorkers),
    known(decision?.capacityWorkers),
    known(queue?.backlog),
    byHand(status),
  ];
}

function byHand({ override, restart }: ProgramStatus): string {
  const until = override?.until == null ? "" : ` until ${dayAndTime(override.until)} UTC`;
  const held = override === null ? [] : [`${override.kind} ${override.workers}${until}`];
  return [...held, ...(restart === null ? [] : [`restart ${restart.replaced} of ${restart.workers}`])].join(", ");
}

const known = (count: number | null | undefined): string => (count == null ? "?" : String(count));
