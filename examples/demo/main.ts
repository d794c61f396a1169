/**
 * The demo: a bursty producer, an autoscaler that grows and shrinks real worker processes, one of them killed on the way,
 * and at the end an account of every job. Ends by itself, with exit code 0 when nothing was lost.
 *
 *     node examples/dist/demo/main.js [--quick]      --quick: a shorter load, for tests
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Queue } from "flexiq";
import { JOURNAL_DIR } from "./journal.ts";
import { type Helper, startHelper } from "./messages.ts";
import { paint } from "./picture.ts";
import { openScreen, terminalStyle } from "./screen.ts";
import { type Summary, summarise } from "./summary.ts";
import { Watch } from "./watch.ts";

const FRAME_MS = 200;
const WATCHDOG_MS = 180_000;
/** More than the drain timeout of the autoscaler. */
const STOP_LIMIT_MS = 15_000;
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

class Interrupted extends Error {
  readonly exitCode: number;
  constructor(signal: keyof typeof EXIT_CODES) {
    super(`stopped by ${signal}`);
    this.exitCode = EXIT_CODES[signal];
  }
}

const { quick } = flags();
const folder = mkdtempSync(join(tmpdir(), "flexiq-demo-"));
const journalDir = join(folder, "journal");
const logPath = join(folder, "processes.log");
const dbPath = join(folder, "flexiq.db");
mkdirSync(journalDir);

const queue = new Queue({ dbPath });
const screen = openScreen();
const watch = new Watch(queue, journalDir, screen.note);

const log = openSync(logPath, "a");
const start = (name: string): Helper =>
  startHelper(name, quick ? ["--quick"] : [], {
    env: { ...process.env, FLEXIQ_DB_PATH: dbPath, [JOURNAL_DIR]: journalDir },
    log,
    onMessage: (message) => watch.hear(message),
  });
const autoscaler = start("autoscaler");
const producer = start("producer");

// A terminal that is closed must not keep the demo from cleaning up behind itself.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

let ending = false;
const stop = new Promise<never>((_resolve, reject) => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => {
      if (ending) autoscaler.signal("SIGTERM"); // asked twice: it kills its workers
      reject(new Interrupted(signal));
    });
  }
  setTimeout(() => reject(new Error("not finished within three minutes")), WATCHDOG_MS).unref();
  void autoscaler.exited.then((how) => reject(new Error(`the autoscaler ended too early (${how})`)));
});

process.exitCode = await demo();

function flags(): { quick: boolean } {
  try {
    return parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(64);
  }
}

async function demo(): Promise<number> {
  let outcome: Summary | Error;
  try {
    await Promise.race([untilSettled(), stop]);
    outcome = summarise(await watch.evidence());
  } catch (error) {
    outcome = error instanceof Error ? error : new Error(String(error));
  }
  await endHelpers();
  screen.close();
  queue.close();
  closeSync(log);
  return outcome instanceof Error ? reportFailure(outcome) : reportSummary(outcome);
}

async function untilSettled(): Promise<void> {
  while (!producer.hasExited() || !watch.settled) {
    screen.show(await watch.look());
    await wait(FRAME_MS);
  }
  screen.show(await watch.look());
}

/** The autoscaler drains its workers; should it not manage to, a second signal makes it kill them. */
async function endHelpers(): Promise<void> {
  ending = true;
  const all = Promise.all([producer.exited, autoscaler.exited]);
  for (const signal of ["SIGTERM", "SIGTERM", "SIGKILL"] as const) {
    producer.signal(signal);
    autoscaler.signal(signal);
    await Promise.race([all, wait(STOP_LIMIT_MS, undefined, { ref: false })]);
    if (producer.hasExited() && autoscaler.hasExited()) return;
  }
}

function reportSummary({ rows, problems }: Summary): number {
  const style = terminalStyle();
  const width = Math.max(...rows.map(([label]) => label.length));
  console.log(`\n ${paint("Summary", "bold", style)}`);
  for (const [label, value] of rows) console.log(` ${label.padEnd(width)}  ${value}`);
  console.log();
  if (problems.length === 0) {
    console.log(` ${paint("Nothing was lost.", "green", style)}`);
    rmSync(folder, { recursive: true, force: true });
    return 0;
  }
  for (const problem of problems) console.log(` ${paint(problem, "red", style)}`);
  console.log(` Everything is kept in ${folder}`);
  return 1;
}

function reportFailure(error: Error): number {
  if (error instanceof Interrupted) {
    console.log(`\n ${error.message}; its workers are gone`);
    rmSync(folder, { recursive: true, force: true });
    return error.exitCode;
  }
  console.error(`\n The demo failed: ${error.message}`);
  console.error(readFileSync(logPath, "utf8").split("\n").slice(-20).join("\n"));
  console.error(` Everything is kept in ${folder}`);
  return 1;
}
