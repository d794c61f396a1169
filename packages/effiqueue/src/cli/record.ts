/** `effiqueue record`: what a running daemon sees, as a trace for `effiqueue simulate`. A client of its endpoint. DESIGN 13.7. */
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { Recorder } from "../app/recorder.ts";
import { ask, type Endpoint, StatusError } from "../app/status-client.ts";
import { onStopRequest } from "../app/stop-requests.ts";
import { systemClock } from "../loop/clock.ts";
import type { ProgramStatus } from "../report/api-types.ts";
import { counted } from "../report/explain-words.ts";
import { formatTrace } from "../simulate/index.ts";
import { type MonotonicMs, secToMs } from "../units.ts";
import { type EndpointFlags, endpointOf, withEndpoint } from "./endpoint.ts";
import { FailedError } from "./errors.ts";
import { duration } from "./flag-values.ts";
import { printText, shellWord } from "./output.ts";
import { TraceFile } from "./trace-file.ts";

export function recordCommand(): Command {
  return withEndpoint(new Command("record"))
    .argument("[program]", "its name in the configuration; needed where there are several")
    .option("--out <file>", "the trace, written anew at each look", "trace.csv")
    .option("--every <time>", "from look to look", "10s")
    .option("--for <time>", "how long; default: until Ctrl-C")
    .action(record);
}

interface Flags extends EndpointFlags {
  readonly out: string;
  readonly every: string;
  readonly for?: string;
}

async function record(program: string | undefined, { out, every, for: length, ...named }: Flags): Promise<void> {
  const everySec = duration("--every", every);
  const looks = length === undefined ? Number.POSITIVE_INFINITY : Math.ceil(duration("--for", length) / everySec);
  const endpoint = await endpointOf(named);
  const { programs } = await ask(endpoint, "/api/status");
  const name = nameOf(programs, program);
  const file = new TraceFile(out);
  const stopped = new AbortController();
  const isStopped = (): boolean => stopped.signal.aborted;
  const unlisten = onStopRequest(systemClock, () => stopped.abort());
  const recorder = new Recorder(everySec);
  const begun = systemClock.monotonicMs();
  printText(`recording ${name} into ${out}${length === undefined ? " until Ctrl-C" : ` for ${length}`}`);
  while (recorder.rows < looks && !isStopped()) {
    await until((begun + secToMs(everySec * (recorder.rows + 1))) as MonotonicMs, stopped.signal);
    // An interval that was broken off is none.
    if (isStopped()) break;
    recorder.look(await programStatus(endpoint, name));
    file.keep(formatTrace(recorder.trace()));
  }
  unlisten();
  file.close();
  const config = named.config === undefined ? "FILE" : shellWord(named.config);
  const which = programs.length > 1 ? ` --program ${shellWord(name)}` : "";
  printText(
    `${counted(recorder.rows, "interval")} of ${every} in ${out}: effiqueue simulate --config ${config}${which} --trace ${shellWord(out)}`,
  );
}

/** The daemon may be restarted while it is recorded: what it does not say is not known, and the recording goes on. */
async function programStatus(endpoint: Endpoint, name: string): Promise<ProgramStatus | null> {
  try {
    return (await ask(endpoint, "/api/status")).programs.find(({ program }) => program === name) ?? null;
  } catch (error) {
    if (error instanceof StatusError) return null;
    throw error;
  }
}

function nameOf(programs: readonly ProgramStatus[], wanted: string | undefined): string {
  const names = programs.map(({ program }) => program);
  const name = wanted ?? (names.length === 1 ? names[0] : undefined);
  if (name !== undefined && names.includes(name)) return name;
  throw new FailedError(`name one program: effiqueue record ${names.join(" or effiqueue record ")}`);
}

async function until(at: MonotonicMs, signal: AbortSignal): Promise<void> {
  const left = at - systemClock.monotonicMs();
  // Aborted is a way to end, and looked at by the caller.
  if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined);
}
