import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serving } from "../report/endpoint.ts";
import { ORDERS, RECORD, type TestBoard, testBoard, UNREAD } from "../report/records.ts";
import { CLI, effiqueue } from "../support/effiqueue-process.ts";
import { isAlive } from "../support/processes.ts";
import { tempDir } from "../support/temp-dir.ts";
import { hasTmux, Tmux, type TmuxOptions } from "../support/tmux.ts";
import { waitFor } from "../support/wait-for.ts";
import { runHere } from "./run-here.ts";

/** In the middle of the gap of the worked example; beside it a program whose queue cannot be read. */
function board(): TestBoard {
  const onBoard = testBoard([ORDERS, { ...ORDERS, name: "mail" }]);
  onBoard.board.ticked(RECORD);
  onBoard.board.ticked({ ...UNREAD, program: "mail" });
  return onBoard;
}

const urlOf = ({ port }: { port: number }): string => `http://127.0.0.1:${port}`;

interface Printed {
  readonly figures: Readonly<Record<string, unknown>>;
  readonly drainSec: unknown;
  readonly gap: { readonly remedy: string };
}

describe("DESIGN 6.8: top without a terminal", () => {
  it("prints every program once, or the one that is asked for", async () => {
    const url = urlOf(await serving({ board: board() }));
    const all = await runHere("top", "--url", url);
    expect(all).toMatchObject({ code: 0, stderr: "" });
    expect(all.stdout).toMatch(/^ orders [^]*GAP {2}78 workers are needed[^]*\n\n mail /);
    expect(all.stdout).not.toMatch(/\x1b|q quit/);
    const one = await runHere("top", "mail", "--once", "--url", url);
    expect(one.stdout).toMatch(/^ mail /);
    expect(one.stdout).not.toContain("orders");
  });

  it("prints the figures as JSON, the same that the status has", async () => {
    const running = await serving({ board: board() });
    const { stdout } = await runHere("top", "--json", "--url", urlOf(running));
    const [status] = running.board.status().programs;
    const printed = JSON.parse(stdout) as { programs: Printed[] };
    expect(printed).toMatchObject({ apiVersion: 1, version: "1.2.3" });
    expect(printed.programs).toHaveLength(2);
    const [orders] = printed.programs;
    expect(orders?.drainSec).toBe("infinite");
    expect(orders?.gap.remedy).toContain("27 GiB");
    expect(printed.programs[0]?.figures).toMatchObject({
      workers: status?.workers?.current,
      draining: status?.workers?.draining,
      backlog: status?.queue?.backlog,
      unacked: status?.queue?.unacked,
      needed: status?.decision?.neededWorkers,
      capacity: status?.decision?.capacityWorkers,
      gapWorkers: status?.decision?.gap?.workers,
      bestDrainSec: status?.decision?.gap?.bestDrainSec,
      muPerSec: status?.decision?.muPerSec,
      lambdaPerSec: status?.decision?.lambdaPerSec,
      poolBytes: status?.memory?.poolBytes,
      budgetBytes: status?.memory?.budgetBytes,
    });
  });

  it("finds the daemon by its configuration, with its token", async () => {
    const tokenFile = join(tempDir(), "token");
    writeFileSync(tokenFile, "0123456789abcdef\n", { mode: 0o600 });
    const { server } = await serving({ board: board(), token: "0123456789abcdef" });
    const file = join(tempDir(), "effiqueue.toml");
    const keys = `command = "x"\nqueue_connection = "amqp://localhost"\nqueue_name = "orders"\nmax_workers = 2\nslo_drain_time = 9\n`;
    writeFileSync(file, `${keys}metrics_addr = "${server.address}"\nmetrics_token_file = "${tokenFile}"\n`);
    expect(await runHere("top", "--config", file)).toMatchObject({ code: 0, stderr: "" });
  });

  it.each<[string, (url: string) => string[], number, string]>([
    ["no daemon is here", () => ["top"], 69, "no daemon runs with its state in"],
    ["nobody listens", () => ["top", "--url", "http://127.0.0.1:1"], 1, "nobody listens there; does the daemon run"],
    [
      "the program is another",
      (url) => ["top", "order", "--url", url],
      1,
      'no program "order", did you mean "orders"?',
    ],
  ])("fails with one line when %s", async (_, args, code, message) => {
    const result = await runHere(...args(urlOf(await serving({ board: board() }))));
    expect(result).toMatchObject({ code, stdout: "" });
    expect(result.stderr).toMatch(/^effiqueue: [^\n]+\n$/);
    expect(result.stderr).toContain(message);
  });

  it("minds no reader that has gone", async () => {
    const url = urlOf(await serving({ board: board() }));
    const script = `"$@" | true; echo "\${PIPESTATUS[0]}"`;
    const through = ["bash", "-c", script, "bash"];
    const { stdout, stderr } = await effiqueue(["top", "--url", url], { cwd: tempDir(), through });
    expect({ stdout, stderr }).toEqual({ stdout: "0\n", stderr: "" });
  });
});

const top = (url: string, options?: TmuxOptions): Tmux =>
  new Tmux([process.execPath, CLI, "top", "--url", url], options);

/** As it was found: no other screen, a cursor, lines that are edited and echoed by the terminal, wrapped at its edge. */
async function isGivenBack(terminal: Tmux): Promise<void> {
  await waitFor(() => !terminal.modes.alternate && terminal.modes.cursor, { what: "the first screen and a cursor" });
  expect(terminal.screen).not.toContain("needed");
  // `cat` gets a line only where the terminal edits lines, and repeats it.
  terminal.press(`${"x".repeat(79)}yz`, "Enter");
  await terminal.shows("xy\nz");
}

describe.skipIf(!hasTmux)("DESIGN 6.8: top on a terminal", () => {
  it("shows the gap first, obeys its keys, and gives the terminal back", async () => {
    const terminal = top(urlOf(await serving({ board: board() })));
    await terminal.shows(" GAP  78 workers are needed, 24 fit (ram): 54 are missing, which is 27 GiB.");
    expect(terminal.modes).toEqual({ alternate: true, cursor: false });
    terminal.press("Tab");
    await terminal.shows(/^ mail /);
    terminal.press("Left");
    await terminal.shows(/^ orders /);
    terminal.press("2");
    await terminal.shows(/^ mail /);
    terminal.press("?");
    await terminal.shows("pause the display");
    terminal.press("?");
    await terminal.shows(/^ mail /);
    terminal.press("Space");
    await terminal.shows("Paused at");
    terminal.press("q");
    expect(await terminal.ended()).toBe(0);
    await isGivenBack(terminal);
  });

  it("follows the size of the window, down to a corner of the screen", async () => {
    const terminal = top(urlOf(await serving({ board: board() })));
    await terminal.shows("q quit");
    terminal.resize(20, 5);
    const corner = await terminal.shows("GAP 54 missing");
    expect(corner.trimEnd().split("\n").length).toBeLessThanOrEqual(5);
    terminal.resize(120, 40);
    const large = await terminal.shows("q quit");
    expect(Math.max(...large.split("\n").map((line) => line.length))).toBe(120);
    terminal.press("C-c");
    expect(await terminal.ended()).toBe(0);
  });

  it.each([
    ["SIGTERM", 143],
    ["SIGINT", 130],
    ["SIGHUP", 129],
  ] as const)("gives the terminal back at %s", async (signal, code) => {
    const terminal = top(urlOf(await serving({ board: board() })));
    await terminal.shows("q quit");
    process.kill(terminal.pid, signal);
    expect(await terminal.ended()).toBe(code);
    await isGivenBack(terminal);
  });

  it("gives the terminal back when it crashes, and the error is seen", async () => {
    const file = join(tempDir(), "fault.mjs");
    writeFileSync(file, `process.on("SIGUSR2", () => { throw new Error("a planted fault"); });`);
    const env = { NODE_OPTIONS: `--import=${file}` };
    const terminal = top(urlOf(await serving({ board: board() })), { env });
    await terminal.shows("q quit");
    process.kill(terminal.pid, "SIGUSR2");
    expect(await terminal.ended()).not.toBe(0);
    expect(terminal.screen).toContain("a planted fault");
    await isGivenBack(terminal);
  });

  it("goes to the background and comes back", async () => {
    const url = urlOf(await serving({ board: board() }));
    const terminal = new Tmux(["bash", "--norc", "-i"], { env: { PS1: "ready> " } });
    await terminal.shows("ready>");
    terminal.press(`clear; ${process.execPath} ${CLI} top --url ${url}`, "Enter");
    await terminal.shows("q quit");
    terminal.press("C-z");
    await terminal.shows("Stopped");
    expect(terminal.modes).toEqual({ alternate: false, cursor: true });
    terminal.press("clear; fg", "Enter");
    await terminal.shows("q quit");
    expect(terminal.modes).toEqual({ alternate: true, cursor: false });
    terminal.press("Tab");
    await terminal.shows(/^ mail /);
    terminal.press("q");
    await terminal.shows("ready>");
  });

  it("ends when the terminal goes away", async () => {
    const terminal = top(urlOf(await serving({ board: board() })));
    await terminal.shows("q quit");
    const { pid } = terminal;
    terminal.close();
    await waitFor(() => !isAlive(pid), { what: "the end of top" });
  });

  it("says that the daemon is away, keeps what it knew, and goes on with the next one", async () => {
    const first = await serving({ board: board() });
    const terminal = top(urlOf(first));
    await terminal.shows("q quit");
    await first.server.close();
    const away = await terminal.shows(/No answer for [\d.]+ s, still asking[^]*nobody listens there/);
    expect(away).toContain("78 workers are needed");

    const { clock } = testBoard();
    clock.advance(3_600_000);
    const next = testBoard([ORDERS], { clock });
    next.board.ticked(RECORD);
    await serving({ board: { ...next, clock }, address: first.server.address });
    const back = await terminal.shows("The daemon was started anew at");
    expect(back).not.toContain("No answer");
  });

  it("waits for a daemon that does not run yet", async () => {
    const { server } = await serving({ board: board() });
    await server.close();
    const terminal = top(`http://${server.address}`);
    await terminal.shows(/No answer for [\d.]+ s, still asking\. .*nobody listens there/);
    await serving({ board: board(), address: server.address });
    await terminal.shows("GAP  78 workers are needed");
  });

  it("has colours, and none where they are not wanted", async () => {
    const url = urlOf(await serving({ board: board() }));
    const painted = top(url);
    await painted.shows("q quit");
    expect(painted.painted).toContain("\x1b[30m\x1b[43m GAP ");
    const bare = top(url, { env: { NO_COLOR: "1" } });
    await bare.shows("q quit");
    expect(bare.painted).not.toContain("\x1b[");
  });

  it("draws in ASCII where the locale has no more", async () => {
    const terminal = top(urlOf(await serving({ board: board() })), { env: { LANG: "C" } });
    expect(await terminal.shows("q quit")).toMatch(/needed +78 +#{30}/);
  });
});
