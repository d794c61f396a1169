/**
 * The daemon around a backend of your own. Here a folder is the queue: files in `inbox` wait, those in `taken` are in work, those
 * in `done` are finished. The pool is sized for a drain time, within the memory of the machine, and shown over HTTP.
 */
import { mkdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { ControlLoop, createLogger, logReporter, openWorkerPool, type QueueSource, systemClock } from "effiqueue";
import { hostMemoryProbe, openBoard, openMetrics, serveStatus } from "effiqueue/daemon";
import { crashBackoff, programConfig, programPolicy, sharedBudget } from "effiqueue/decide";

const [root = "."] = process.argv.slice(2);
for (const name of ["inbox", "taken", "done"]) mkdirSync(join(root, name), { recursive: true });
const filesIn = async (name: string): Promise<number> => (await readdir(join(root, name))).length;

/** Totals are enough to measure rates. What could not be read is `unreadable`, never zero. */
const folders: QueueSource = {
  async read() {
    const at = systemClock.monotonicMs();
    try {
      const [ready, unacked, ackedTotal] = await Promise.all(["inbox", "taken", "done"].map(filesIn));
      return { kind: "ok", value: { ready: ready ?? 0, unacked: unacked ?? null, ackedTotal }, at };
    } catch (cause) {
      return { kind: "unreadable", cause: cause instanceof Error ? cause : new Error(String(cause)), at };
    }
  },
};

/** Renaming is how a file is taken: of those who try only one succeeds. Told to stop, a worker finishes the file in hand. */
const WORK = `trap "stop=1" TERM
while [ -z "$stop" ]; do
  for file in inbox/*; do
    [ -z "$stop" ] && mv "$file" taken/ 2>/dev/null && sleep 0.1 && mv "taken/\${file#inbox/}" done/
  done
  sleep 0.1
done`;

const options = programConfig({
  command: "sh",
  queueConnection: "amqp://unused",
  queueName: "inbox",
  maxWorkers: 4,
  sloDrainTime: "2s",
  cooldownTicks: 0,
});
const program = "inbox";
const [clock, pollIntervalMs] = [systemClock, 500];
const limits = { name: program, mode: options.mode, minWorkers: 0, maxWorkers: 4, sloSec: 2 };
const board = openBoard([limits], { clock, version: "1.0.0", pollIntervalSec: pollIntervalMs / 1000 });
const log = logReporter(createLogger({ name: program, level: "warn" }));
const reporter: typeof log = {
  emit(name, fields) {
    log.emit(name, fields);
    board.emit(name, fields);
  },
};

const pool = openWorkerPool({
  program,
  worker: () => ({ command: { file: WORK, args: [], shell: true, cwd: root } }),
  stateDir: join(root, "state"),
  stopTarget: "leader", // the signal is for the shell, not for its sleep
  drainTimeoutMs: 10_000,
  backoff: crashBackoff,
  clock,
  reporter,
});
const loop = new ControlLoop({
  programs: [{ program, source: folders, pool, policy: programPolicy(options), limits: options }],
  clock,
  reporter,
  pollIntervalMs,
  memory: hostMemoryProbe(),
  budget: sharedBudget({ headroomBytes: 0 }),
  listener: board,
});
const server = await serveStatus({ board, metrics: openMetrics(board), address: "127.0.0.1:0", isReady: () => true });
console.log(`http://${server.address}/metrics`);

process.once("SIGTERM", () => void loop.stop());
await loop.run();
await pool.shutdown();
await server.close();
