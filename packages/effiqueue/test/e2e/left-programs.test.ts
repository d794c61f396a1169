/** Workers of programs that the configuration lost while no daemon ran: nobody else would ever end them. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readOwner } from "../../src/act/left.ts";
import { type DaemonProcess, type DaemonSetup, daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { isAlive } from "../support/processes.ts";
import { waitFor } from "../support/wait-for.ts";

const SHARED = `
poll_interval = "200ms"
queue_connection = "amqp://127.0.0.1:1"
management = false
mode = "threshold"
min_workers = 2
max_workers = 2
drain_timeout = "10m"
`;
const ORDERS = `
[[program]]
queue_name = "orders"
command = "sleep 1000"
`;
/** Deaf to any stop signal but its own, so that another one would only end it by SIGKILL, ten minutes later. */
const mailThat = (atUsr1: string): string => `
[[program]]
queue_name = "mail"
command = ${JSON.stringify(`sh -c 'trap : TERM; trap "${atUsr1}" USR1; while :; do sleep 0.1; done'`)}
stop_signal = "USR1"
stop_target = "leader"
`;
const MAIL = mailThat("exit 0");

const ofProgram = (daemon: DaemonProcess, program: string): number[] =>
  daemon.lines("act.worker.spawned").flatMap((line) => (line["program"] === program ? [Number(line["pid"])] : []));

/** A daemon with both programs, ended so that its workers are left. */
async function leftBy(end: "SIGKILL" | "detach", setup: DaemonSetup): Promise<{ orders: number[]; mail: number[] }> {
  const first = setup.run();
  await first.workersOf(4);
  // Once the list of workers is written down.
  await first.waitFor(() => first.lines("loop.tick.decided").length >= 2, "two ticks");
  if (end === "SIGKILL") first.kill("SIGKILL");
  else await effiqueue(["detach", "--state-dir", join(setup.dir, "state")], { cwd: setup.dir });
  await first.ended;
  return { orders: ofProgram(first, "orders"), mail: ofProgram(first, "mail") };
}

describe("DESIGN 7.20: a program that the configuration lost while no daemon ran", () => {
  it.each(["SIGKILL", "detach"] as const)(
    "has its workers drained, by its own stop signal, after a %s; others go on",
    async (end) => {
      const setup = daemonOn(SHARED + ORDERS + MAIL);
      const { orders, mail } = await leftBy(end, setup);
      writeFileSync(setup.file, SHARED + ORDERS);
      const second = setup.run();
      expect(await second.logged("app.program.withdrawn")).toMatchObject({ program: "mail", workers: 2 });
      await waitFor(() => !mail.some(isAlive), { what: "the end of the workers that nobody wants" });
      expect(orders.every(isAlive)).toBe(true);
      expect(second.lines("act.worker.drain_timed_out")).toEqual([]);
      expect(await second.stop()).toBe(0);
      expect(setup.living()).toEqual([]);

      const third = setup.run();
      await third.logged("loop.tick.decided");
      expect(third.lines("app.program.withdrawn"), "it is over").toEqual([]);
    },
  );

  it("has them still draining when it comes back by a reload", async () => {
    const deaf = mailThat(":");
    const setup = daemonOn(SHARED + ORDERS + deaf);
    const { mail } = await leftBy("SIGKILL", setup);
    writeFileSync(setup.file, SHARED + ORDERS);
    const second = setup.run();
    await second.waitFor(() => second.lines("act.worker.stop_signalled").length === 2, "two that drain");
    writeFileSync(setup.file, SHARED + ORDERS + deaf);
    await effiqueue(["reload", "--state-dir", join(setup.dir, "state")], { cwd: setup.dir });
    await second.waitFor(() => ofProgram(second, "mail").length === 2, "two new ones beside them");
    expect(second.lines("act.worker.stop_signalled").map(({ pid }) => pid)).toEqual(mail);
    expect(mail.every(isAlive)).toBe(true);
  });

  it("is named with its workers, and left alone, where another file had it or nobody knows", async () => {
    const setup = daemonOn(SHARED + ORDERS + MAIL);
    const { orders, mail } = await leftBy("SIGKILL", setup);
    writeFileSync(join(setup.dir, "state", "orders", "owner.json"), '{"format": 1, "prog');
    const other = join(setup.dir, "other.toml");
    writeFileSync(other, SHARED + ORDERS.replace("orders", "bills"));
    const second = setup.run("--config", other);
    await second.logged("loop.tick.decided");
    const said = second.lines("app.workers.unclaimed");
    expect(said.map(({ program }) => program).toSorted()).toEqual(["mail", "orders"]);
    for (const pid of [...orders, ...mail]) expect(JSON.stringify(said)).toContain(` -${pid}`);
    expect([...orders, ...mail].every(isAlive)).toBe(true);

    // Beside it, in the same folder, comes the daemon of the first file.
    const third = setup.run();
    expect((await third.workersOf(4, "act.worker.adopted")).toSorted()).toEqual([...orders, ...mail].toSorted());
    expect(third.lines("app.workers.unclaimed"), "somebody has those of the other file").toEqual([]);
    expect(third.lines("app.program.withdrawn")).toEqual([]);
  });
});

describe("DESIGN 7.20: owner.json", () => {
  it("is nobody's wherever it is cut off", async () => {
    const setup = daemonOn(SHARED + ORDERS);
    const daemon = setup.run();
    await daemon.workersOf(2);
    expect(await daemon.stop()).toBe(0);
    const folder = join(setup.dir, "state", "orders");
    expect(readdirSync(folder)).toContain("owner.json");
    expect(readOwner(folder)).toEqual({
      program: "orders",
      config: setup.file,
      stop: { stopSignal: "SIGTERM", stopTarget: "group", drainTimeoutMs: 600_000 },
    });
    const file = join(folder, "owner.json");
    const text = readFileSync(file, "utf8").trimEnd();
    for (let length = 0; length < text.length; length++) {
      writeFileSync(file, text.slice(0, length));
      expect(readOwner(folder), `of ${length} bytes`).toBeUndefined();
    }
  });
});
