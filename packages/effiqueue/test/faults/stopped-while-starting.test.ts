/** SIGTERM at each step of a start: it ends soon and well, whatever it was about to do. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type DaemonProcess, type DaemonSetup, daemonOn } from "../support/daemon-process.ts";
import { waitFor } from "../support/wait-for.ts";

const FAULT_POINTS = fileURLToPath(new URL("../fixtures/fault-points.mjs", import.meta.url));

const CONFIG = `command = "sleep 600"
queue_connection = "amqp://guest:guest@127.0.0.1:1/%2F"
queue_name = "mail"
min_workers = 2
max_workers = 2
slo_drain_time = "30s"
metrics_addr = "127.0.0.1:0"
`;

/** Among the steps of every start. */
const STEPS = ["mkdirSync", "writing /state/mail/lock.draft", "writing /state/mail/pool-id.new", "spawn"];

/** A daemon on a new state that is told to stop at a point of its start, or is not. */
function startWith(
  at: number | undefined,
): DaemonSetup & { readonly daemon: DaemonProcess; readonly points: () => string[] } {
  const setup = daemonOn(CONFIG, "effiqueue.toml", {
    NODE_OPTIONS: `--import ${FAULT_POINTS}`,
    FAULT_SIGNAL: "SIGTERM",
    FAULT_LOG: "points",
    ...(at === undefined ? {} : { FAULT_AT: String(at) }),
  });
  const points = (): string[] => readFileSync(join(setup.dir, "points"), "utf8").trimEnd().split("\n");
  return { ...setup, daemon: setup.run(), points };
}

async function pointsOfStart(): Promise<string[]> {
  const { daemon, points } = startWith(undefined);
  await daemon.logged("loop.tick.decided");
  const seen = points();
  expect(await daemon.stop()).toBe(0);
  return seen;
}

describe("DESIGN 7.9: a stop that comes during the start", () => {
  it("is carried out, at whatever step it comes, and leaves nobody", { timeout: 180_000 }, async () => {
    const points = await pointsOfStart();
    for (const step of STEPS)
      expect(
        points.some((name) => name.includes(step)),
        step,
      ).toBe(true);
    // A signal is heard when the step at hand is over, so neighbours are one moment.
    for (const [i, name] of points.entries()) {
      if (i % 3 > 0) continue;
      const { daemon, living } = startWith(i + 1);
      expect((await daemon.ended).code, `stopped ${name}`).toBe(0);
      await waitFor(() => living().length === 0, { what: `the end of everything, stopped ${name}` });
      expect(daemon.lines("act.worker.drain_timed_out")).toEqual([]);
    }
  });
});
