/** What there is of memory and processors, where that was read, and what it may be enough for. DESIGN 7.10, 7.11, 2.5. */
import type { Config } from "../../config/validate.ts";
import type { MachineReading } from "../../model/machine.ts";
import { failed, ok, skipped, type Verdict, warning } from "./verdicts.ts";

export function checkMemory(config: Config, machine: MachineReading): readonly Verdict[] {
  return [
    checkTotal(config, machine),
    checkSwap(config, machine),
    ...checkRoom(config, machine),
    ...checkCpus(machine),
  ];
}

function checkTotal({ shared }: Config, { totalBytes, usedBytes, limitedBy }: MachineReading): Verdict {
  if (!isNumber(totalBytes)) {
    const remedy =
      shared.ramBudget === undefined ? 'set ram_budget, such as ram_budget = "8GB"' : "nothing: ram_budget is set";
    return warning("memory", "how much there is cannot be read here", remedy);
  }
  const origin = limitedBy === "host" ? "of the whole machine" : `by the limit of the control group ${limitedBy}`;
  const used = isNumber(usedBytes) ? `${inWords(usedBytes)} in use` : "what is in use cannot be read";
  return ok("memory", `${inWords(totalBytes)} ${origin}, ${used}`);
}

function checkCpus({ cpus }: MachineReading): readonly Verdict[] {
  if (cpus === undefined || !isNumber(cpus.count)) return [];
  const { count, limitedBy } = cpus;
  if (limitedBy === "host") return [ok("processors", `${count} of the whole machine`)];
  const origin = limitedBy === "affinity" ? "that we may run on" : `by the quota of the control group ${limitedBy}`;
  return [ok("processors", `${count} ${origin}`)];
}

function checkSwap({ programs }: Config, { swapTotalBytes: total, swapUsedBytes: used }: MachineReading): Verdict {
  if (!isNumber(total) || !isNumber(used)) return skipped("swap", "cannot be read here, so it brakes no growth");
  if (total === 0) return ok("swap", "none; the memory left free (ram_headroom) is all the reserve there is");
  const caps = programs.map(({ options }) => options.swapRatioCap);
  const share = used / total;
  const found = `${inWords(used)} of ${inWords(total)} in use (${Math.round(share * 100)}%)`;
  if (share <= Math.min(...caps)) return ok("swap", found);
  const remedy = "see what fills the memory; where the system swaps without need (macOS does), raise swap_ratio_cap";
  return warning("swap", `${found}: above swap_ratio_cap no pool grows beyond one worker`, remedy);
}

/** What one worker may take at most, if all are to fit. What it does take is known when one runs. */
function checkRoom({ shared, programs }: Config, machine: MachineReading): readonly Verdict[] {
  const subject = "memory for workers";
  const { ramBudget } = shared;
  const room = ramBudget ?? roomOf(shared.ramHeadroom ?? 0, machine);
  if (room === undefined) return [];
  const { totalBytes, usedBytes } = machine;
  if (ramBudget !== undefined && isNumber(totalBytes) && ramBudget > totalBytes) {
    return [
      failed(
        subject,
        `ram_budget is ${inWords(ramBudget)}, and there are ${inWords(totalBytes)}`,
        "lower it, or use ram_headroom, which follows the machine",
      ),
    ];
  }
  if (room <= 0) {
    return [
      warning(
        subject,
        "none is left after ram_headroom, so each program stays at one worker",
        "lower ram_headroom, or end what fills the memory",
      ),
    ];
  }
  const workers = programs.reduce((sum, { options }) => sum + options.maxWorkers, 0);
  const fit = `the ${workers} of max_workers fit if one takes at most ${inWords(room / workers)}; what it takes is known once one runs`;
  const verdict = skipped(subject, `${inWords(room)} for workers: ${fit}`);
  if (ramBudget === undefined || !isNumber(totalBytes) || !isNumber(usedBytes) || ramBudget <= totalBytes - usedBytes)
    return [verdict];
  const remedy = "nothing if workers of this file run already; else lower it, or use ram_headroom";
  return [
    warning(
      subject,
      `ram_budget is ${inWords(ramBudget)}, and ${inWords(totalBytes - usedBytes)} are free now`,
      remedy,
    ),
    verdict,
  ];
}

function roomOf(headroomBytes: number, { totalBytes, usedBytes }: MachineReading): number | undefined {
  return isNumber(totalBytes) && isNumber(usedBytes) ? totalBytes - usedBytes - headroomBytes : undefined;
}

const isNumber = (value: unknown): value is number => typeof value === "number";

function inWords(bytes: number): string {
  const gib = bytes / 1024 ** 3;
  return gib >= 1 ? `${gib.toFixed(1)} GiB` : `${Math.floor(bytes / 1024 ** 2)} MiB`;
}
