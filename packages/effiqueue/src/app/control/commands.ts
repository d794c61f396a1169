/** What a running daemon can be told: one entry a command. DESIGN 7.12, 7.13. */
import type { ControlLoop } from "../../loop/control-loop.ts";
import type { OverrideKind } from "../../model/override.ts";
import type { ProgramStatus, StatusReply } from "../../report/api-types.ts";
import { dayAndTime } from "../../report/explain-words.ts";
import { CommandError, type Commands } from "../../report/http/control.ts";
import { overrideText } from "../../report/override-words.ts";
import { chosenPause, chosenPrograms, chosenSpanMs, chosenWorkers } from "./arguments.ts";
import type { ToldReply } from "./replies.ts";

export interface Commanded {
  readonly loop: ControlLoop;
  readonly status: () => StatusReply;
  readonly isStopping: () => boolean;
}

export function controlCommands(daemon: Commanded): Commands {
  const { loop } = daemon;
  const told = (programs: readonly string[], tell: (program: string) => string): ToldReply => {
    if (daemon.isStopping()) throw new CommandError("the daemon is stopping; its workers are being drained");
    return { apiVersion: 1, said: programs.map((program) => `${program}: ${tell(program)}`) };
  };
  const overridden = (kind: OverrideKind, workers?: number, forMs?: number) => (program: string) => {
    loop.override(program, { kind, workers, forMs });
    return heldText(statusOf(daemon, program));
  };

  return {
    /** `direction` in, out or both; `program`, else every one; `forSec`. */
    pause: (args) => {
      const kind = chosenPause(args);
      return told(chosenPrograms(args, loop.programs), overridden(kind, undefined, chosenSpanMs(args)));
    },
    /** `program`, `workers`, `forSec`. */
    scale: (args) => {
      const programs = chosenPrograms(args, loop.programs, "needed");
      const workers = chosenWorkers(args, programs, (program) => loop.ceilingOf(program));
      return told(programs, overridden("scale", workers, chosenSpanMs(args)));
    },
    /** `program`, `forSec`. */
    drain: (args) => told(chosenPrograms(args, loop.programs, "needed"), overridden("drain", 0, chosenSpanMs(args))),
    /** `program`, else every one. */
    resume: (args) =>
      told(chosenPrograms(args, loop.programs), (program) =>
        loop.resume(program) ? "follows its queue again" : "had nothing to resume",
      ),
    /** `program`. */
    restart: (args) =>
      told(chosenPrograms(args, loop.programs, "needed"), (program) => {
        const workers = loop.restart(program);
        return workers === 0 ? "has no worker to replace" : `replaces ${workers} of its workers, one after the other`;
      }),
  };
}

const statusOf = ({ status }: Commanded, program: string): ProgramStatus | undefined =>
  status().programs.find((each) => each.program === program);

function heldText(status: ProgramStatus | undefined): string {
  const override = status?.override;
  if (override == null) return "told";
  const until = override.until === null ? "it is resumed" : `${dayAndTime(override.until)} (UTC)`;
  return `${overrideText(override.kind, override.workers)}, until ${until}`;
}
