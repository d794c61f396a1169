import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseTrace } from "effiqueue/simulate";
import { describe, expect, it, onTestFinished } from "vitest";
import { ORDERS, RECORD, testBoard } from "../report/records.ts";
import { EffiqueueProcess } from "../support/effiqueue-process.ts";
import { pipe } from "../support/pipe.ts";
import { tempDir } from "../support/temp-dir.ts";
import { waitFor } from "../support/wait-for.ts";
import { runHere } from "./run-here.ts";

/** A daemon's endpoint with one program, at which five more messages have arrived whenever it is asked. */
async function endpoint(programs = [ORDERS]) {
  const { board } = testBoard(programs);
  let publishedTotal = 100;
  const server = createServer((_, response) => {
    const queue = { ready: 7, unacked: 3, publishedTotal: (publishedTotal += 5) };
    board.ticked({ ...RECORD, observation: { ...RECORD.observation, queue } });
    response.end(JSON.stringify(board.status()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("DESIGN 13.7: effiqueue record", () => {
  it("writes what a daemon sees, for as long as it is told, and simulate takes it", async () => {
    const [url, out] = [await endpoint(), join(tempDir(), "night.csv")];
    const { code, stdout, stderr } = await runHere(
      "record",
      "--url",
      url,
      "--out",
      out,
      "--every",
      "100ms",
      "--for",
      "400ms",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^recording orders into \S+ for 400ms\n4 intervals of 100ms in \S+: effiqueue simulate /);
    const trace = parseTrace(readFileSync(out, "utf8"));
    // The first interval has no count to begin with, and takes the rate.
    expect(trace.arrivals.slice(1)).toEqual([5, 5, 5]);
    expect(trace).toMatchObject({
      intervalSec: 0.1,
      measured: { backlog: [10, 10, 10, 10], workers: [24, 24, 24, 24] },
    });
    expect(trace.facts).toMatchObject({ service_sec: 0.125, worker_bytes: 512 * 1024 ** 2 });
  });

  it("without an end it goes on until it is told to stop, and what it has written is whole", async () => {
    const [url, cwd] = [await endpoint(), tempDir()];
    const recording = new EffiqueueProcess(["record", "orders", "--url", url, "--every", "50ms"], { cwd });
    await waitFor(() => recording.stdout.includes("until Ctrl-C"), { what: "the recording" });
    await waitFor(
      () => {
        try {
          return parseTrace(readFileSync(join(cwd, "trace.csv"), "utf8")).arrivals.length >= 3;
        } catch {
          return false;
        }
      },
      { what: "three intervals" },
    );
    recording.kill("SIGINT");
    expect(await recording.ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/\d+ intervals of 50ms/) as string,
    });
  });

  const briefly = ["--every", "50ms", "--for", "50ms"];

  it("leaves links, and whatever is no file, where they are", async () => {
    const [url, folder, out] = [await endpoint(), tempDir(), pipe()];
    const [file, link] = [join(folder, "disk.csv"), join(folder, "night.csv")];
    writeFileSync(file, "");
    symlinkSync(file, link);
    expect(await runHere("record", "--url", url, "--out", link, ...briefly)).toMatchObject({ code: 0, stderr: "" });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(parseTrace(readFileSync(file, "utf8")).arrivals).toHaveLength(1);

    const refused = await runHere("record", "--url", url, "--out", out, ...briefly);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("it is a folder, a device") as string });
    expect(lstatSync(out).isFIFO()).toBe(true);
  });

  it("goes on where it cannot write for a while, and has everything when it can again", async () => {
    const [url, folder] = [await endpoint(), join(tempDir(), "mounted")];
    const out = join(folder, "trace.csv");
    mkdirSync(folder);
    const args = ["record", "--url", url, "--every", "50ms", "--out", out];
    const recording = new EffiqueueProcess(args, { cwd: tempDir() });
    await waitFor(() => existsSync(out), { what: "the first look" });
    // In one step, so that it never finds a folder half emptied.
    renameSync(folder, `${folder}.away`);
    await waitFor(() => recording.stderr.includes("trace.csv: cannot be written: ENOENT"), { what: "the trouble" });
    renameSync(`${folder}.away`, folder);
    const before = parseTrace(readFileSync(out, "utf8")).arrivals.length;
    await waitFor(() => parseTrace(readFileSync(out, "utf8")).arrivals.length > before, { what: "one more" });
    recording.kill("SIGINT");
    const { code, stderr, stdout } = await recording.ended;
    expect({ code, lines: stderr.match(/\n/g)?.length }).toEqual({ code: 0, lines: 1 });
    const intervals = Number(/(\d+) intervals/.exec(stdout)?.[1]);
    expect(parseTrace(readFileSync(out, "utf8")).arrivals).toHaveLength(intervals);
  });

  it.each([
    [[], 69, "no daemon runs with its state in"],
    [["--url", "http://127.0.0.1:1"], 1, "nobody listens there"],
    [["--url", "URL", "--every", "soon"], 64, "--every: expected a duration"],
    [["mails", "--url", "URL"], 1, "name one program: effiqueue record orders"],
    [["--url", "URL", "--out", "/nowhere/a.csv"], 1, "/nowhere/a.csv: cannot be written: there is no folder /nowhere"],
    [["--url", "URL", "--out", "/proc"], 1, "/proc: cannot be written: it is a folder, a device or the like"],
  ])("%j exits %i and says: %s", async (args, exit, message) => {
    const url = await endpoint();
    const { code, stderr } = await runHere("record", ...args.map((word) => (word === "URL" ? url : word)));
    expect(code).toBe(exit);
    expect(stderr).toContain(message);
  });
});
