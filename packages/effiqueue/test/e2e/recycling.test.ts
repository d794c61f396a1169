/** Workers of a real daemon that are too old or too large: replaced one at a time, and never taken for crashes. */
import { describe, expect, it } from "vitest";
import type { DecisionsReply, StatusReply } from "../../src/report/api-types.ts";
import { explainDecisions } from "../../src/report/explain.ts";
import { type DaemonProcess, daemonOn } from "../support/daemon-process.ts";
import { waitFor } from "../support/wait-for.ts";

/** The floor keeps the pool whole though nobody can be asked for work. */
const config = (lines: string): string => `
metrics_addr = "127.0.0.1:0"
poll_interval = "200ms"
queue_connection = "amqp://127.0.0.1:1"
queue_name = "orders"
management = false
mode = "threshold"
min_workers = 3
max_workers = 3
min_uptime = "1s"
${lines}
`;

const PATIENCE_MS = 45_000;

const untilRecycled = (daemon: DaemonProcess, count: number): Promise<boolean> =>
  waitFor(() => daemon.lines("act.worker.recycled").length >= count, {
    what: `${count} replaced workers`,
    timeoutMs: PATIENCE_MS,
  });

/** The most that were told to stop and had not ended. */
function mostAtOnce(daemon: DaemonProcess): number {
  const leaving = new Set<unknown>();
  let most = 0;
  for (const { event, pid } of daemon.lines()) {
    if (event === "act.worker.recycled") leaving.add(pid);
    if (event === "act.worker.exited") leaving.delete(pid);
    most = Math.max(most, leaving.size);
  }
  return most;
}

describe("DESIGN 4.10: recycling in the daemon", () => {
  it("replaces workers by age, one at a time, and says so everywhere", async () => {
    const daemon = daemonOn(config('command = "sleep 1000"\nmax_worker_age = "2s"')).run();
    await untilRecycled(daemon, 4);
    const status = (await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply;
    const decisions = (await (await fetch(`${await daemon.url()}/api/decisions`)).json()) as DecisionsReply;
    const recycled = (await daemon.metrics()).find(({ name }) => name === "effiqueue_workers_recycled_total");
    expect(recycled?.labels).toEqual({ program: "orders", kind: "age" });
    expect(recycled?.value).toBeGreaterThanOrEqual(4);
    expect(await daemon.metric("effiqueue_crashes_total")).toBe(0);
    const [program] = status.programs;
    if (program === undefined) throw new Error("no program");
    expect(explainDecisions(program, decisions.programs[0]?.decisions ?? [])).toMatch(
      /Worker \d+ was replaced .*: it is \d+ s old, the limit is 2 s\./,
    );
    const before = new Set(daemon.workers().slice(0, 3));
    expect(
      daemon
        .lines("act.worker.recycled")
        .slice(0, 3)
        .map(({ pid }) => pid)
        .sort(),
    ).toEqual([...before].sort());
    expect(mostAtOnce(daemon)).toBe(1);
    expect(await daemon.stop()).toBe(0);
    expect(new Set(daemon.lines("act.worker.exited").map(({ kind }) => kind))).toEqual(new Set(["stopped"]));
    expect(daemon.lines("act.spawning.backed_off")).toEqual([]);
  });

  it("replaces the one that has grown, and no other", async () => {
    const grown =
      "globalThis.kept = Buffer.alloc(process.env.EFFIQUEUE_PROCESS_NUM === '1' ? 300e6 : 1, 1); setInterval(() => {}, 1e3)";
    const command = `command = ${JSON.stringify(`${process.execPath} -e "${grown}"`)}`;
    const daemon = daemonOn(
      config(`${command}\nmax_worker_memory = "200MB"\nenv = { NODE_EXTRA_CA_CERTS = "" }`),
    ).run();
    await untilRecycled(daemon, 1);
    const spawned = await daemon.workersOf(4);
    const [recycled] = daemon.lines("act.worker.recycled");
    const [grownOne] = daemon.lines("act.worker.spawned").filter((line) => line["process_num"] === 1);
    expect(recycled).toMatchObject({ pid: grownOne?.["pid"], why: "memory" });
    expect(Number(recycled?.["value"])).toBeGreaterThan(200 * 1024 ** 2);
    expect(spawned).toContain(recycled?.["pid"]);
    expect(await daemon.stop()).toBe(0);
  });
});
