/** `effiqueue doctor`: everything that could be wrong on this machine, before it matters. DESIGN 7.10. */
import { resolve } from "node:path";
import { Command } from "commander";
import { diagnose, type Verdict } from "../app/doctor/index.ts";
import { openQueue } from "../app/programs.ts";
import { defaultStateDir } from "../app/state-dir.ts";
import { loadConfig } from "../config/load.ts";
import { systemClock } from "../loop/clock.ts";
import type { Reporter } from "../model/ports.ts";
import { redactor } from "../model/redact.ts";
import { visible } from "../model/visible.ts";
import { hostMemoryProbe } from "../observe/host/index.ts";
import { counted } from "../report/explain-words.ts";
import { EXIT } from "./errors.ts";
import { configOption, jsonOption, metricsAddrOption, modeOption, requiredConfig, stateDirOption } from "./options.ts";
import { printJson, printText } from "./output.ts";

export function doctorCommand(): Command {
  return new Command("doctor")
    .addOption(configOption())
    .addOption(modeOption())
    .addOption(stateDirOption())
    .addOption(metricsAddrOption())
    .addOption(jsonOption())
    .addHelpText("after", "\nRun it as the user, and in the place, of the daemon. Exit code 1: something would fail.")
    .action(doctor);
}

interface Flags {
  readonly config?: string;
  readonly mode?: string;
  readonly stateDir?: string;
  readonly metricsAddr?: string;
  readonly json?: true;
}

async function doctor({ config: file, mode, stateDir, metricsAddr, json }: Flags): Promise<void> {
  const loaded = loadConfig(requiredConfig(file), { mode });
  const shared = { ...loaded.shared, metricsAddr: metricsAddr ?? loaded.shared.metricsAddr };
  const verdicts = await diagnose(
    { ...loaded, shared },
    {
      openQueue: (program) => openQueue(program, { clock: systemClock, reporter: SILENT }),
      memory: hostMemoryProbe(),
      stateDir: resolve(stateDir ?? shared.stateDir ?? defaultStateDir()),
      place: { env: process.env, pid: process.pid, root: "" },
    },
  );
  const shown = verdicts.map(masked(redactor(loaded.secrets)));
  const isWell = shown.every(({ status }) => status !== "failed");
  if (json === true) printJson({ ok: isWell, checks: shown });
  else printText([...shown.map(lineOf), summaryOf(shown)].join("\n"));
  if (!isWell) process.exitCode = EXIT.failed;
}

/** What happens on the way is in the verdicts. */
const SILENT: Reporter = { emit: () => undefined };

const masked =
  (redact: (text: string) => string) =>
  (verdict: Verdict): Verdict => ({
    ...verdict,
    found: redact(verdict.found),
    ...(verdict.remedy === undefined ? {} : { remedy: redact(verdict.remedy) }),
  });

const INDENT = " ".repeat(9);

function lineOf({ program, subject, status, found, remedy }: Verdict): string {
  const about = program === undefined ? subject : `${program}: ${subject}`;
  const line = `${status.padEnd(INDENT.length)}${visible(`${about}: ${found}`)}`;
  return remedy === undefined ? line : `${line}\n${INDENT}-> ${visible(remedy)}`;
}

function summaryOf(verdicts: readonly Verdict[]): string {
  const count = (status: Verdict["status"]): number => verdicts.filter((each) => each.status === status).length;
  const [warnings, failures] = [count("warning"), count("failed")];
  if (failures > 0) return `\n${counted(failures, "check")} failed, ${counted(warnings, "warning")}`;
  return warnings > 0 ? `\nnothing failed, ${counted(warnings, "warning")}` : "\nall is well";
}
