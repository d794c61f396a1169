import { spawn } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostMemoryProbe } from "../../../src/observe/host/index.ts";
import { memberIn } from "../../../src/observe/host/processes.ts";
import { fieldIn } from "../../../src/observe/host/texts.ts";
import { availableIn, groupsIn, groupsWithoutProc, swapIn } from "../../../src/observe/host/without-proc.ts";
import { pidsIn, startStranger } from "../../support/processes.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { waitFor } from "../../support/wait-for.ts";
import { addFiles, BIG_HOST, type Files, MIB, treeOf } from "./tree.ts";

const HAS_PYTHON = await new Promise<boolean>((resolve) => {
  spawn("/usr/bin/python3", ["-c", ""])
    .on("error", () => resolve(false))
    .on("exit", (code) => resolve(code === 0));
});

/** `/proc/PID/stat` as far as anybody reads it. */
const stat = (pid: number, group: number, { state = "S", pages = 100, start = 5, name = "worker" } = {}): string =>
  `${pid} (${name}) ${state} 1 ${group} ${group} 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 ${start} 9999 ${pages} 18446744073709551615 1\n`;

const rollup = (pssKib: number, rssKib = 4 * pssKib): string =>
  `55a-7ff ---p 0 00:00 0 [rollup]\nRss: ${rssKib} kB\nPss:   ${pssKib} kB\nPss_Anon: 1 kB\n`;

const processIn = (pid: number, group: number, pssKib: number, options: Parameters<typeof stat>[2] = {}): Files => ({
  [`proc/${pid}/stat`]: stat(pid, group, options),
  [`proc/${pid}/smaps_rollup`]: rollup(pssKib),
});

describe("DESIGN 7.6: /proc/PID/stat", () => {
  it.each([
    ["a plain name", stat(9, 7), { groupId: 7, startTime: "5", pages: 100 }],
    [
      "blanks and parentheses in the name",
      stat(9, 7, { name: "a) S (b) Z" }),
      { groupId: 7, startTime: "5", pages: 100 },
    ],
    ["a zombie", stat(9, 7, { state: "Z" }), undefined],
    ["a process on its way out", stat(9, 7, { state: "X" }), undefined],
    ["nothing", "", undefined],
    ["half a line", "9 (worker) S 1 7", undefined],
  ])("%s", (_, text, member) => {
    expect(memberIn(text)).toEqual(member);
  });
});

describe("DESIGN 7.6: a group is all of its processes", () => {
  it("adds up the members of each group that was asked for, zombies apart", async () => {
    const root = treeOf({
      ...BIG_HOST,
      ...processIn(10, 10, 1000),
      ...processIn(11, 10, 24),
      ...processIn(12, 10, 500, { state: "Z" }),
      ...processIn(20, 20, 2048),
      ...processIn(30, 30, 4096),
      // Its leader has gone.
      ...processIn(41, 40, 1024),
    });
    const { groupBytes } = await hostMemoryProbe({ root }).read([10, 20, 40, 99]);
    expect(groupBytes).toEqual(
      new Map([
        [10, MIB],
        [20, 2 * MIB],
        [40, MIB],
      ]),
    );
  });

  it("takes the resident size of what it may not look into, and leaves out what is gone", async () => {
    const root = treeOf({
      ...BIG_HOST,
      "proc/10/stat": stat(10, 10),
      "proc/10/status": "Name:\tworker\nVmHWM:\t  9000 kB\nVmRSS:\t    2048 kB\nRssAnon:\t 1 kB\n",
      "proc/20/stat": stat(20, 20),
    });
    expect((await hostMemoryProbe({ root }).read([10, 20])).groupBytes).toEqual(new Map([[10, 2 * MIB]]));
  });

  it.each([
    // A fourth of them at each look, and no more than eight.
    [8, [2, 4, 6, 8]],
    [3, [1, 2, 3]],
    [36, [8, 16, 24, 32, 36]],
  ])("asks %i processes in turns, and scales the others by what they said", async (count, asked) => {
    const pids = Array.from({ length: count }, (_, i) => 1000 + i);
    const root = treeOf(Object.assign({ ...BIG_HOST }, ...pids.map((pid) => processIn(pid, pid, 1024))) as Files);
    const probe = hostMemoryProbe({ root });
    const look = async () => [...(await probe.read(pids)).groupBytes.values()].sort((a, b) => a - b);
    expect(await look()).toEqual(pids.map(() => MIB));

    for (const pid of pids) addFiles(root, { [`proc/${pid}/smaps_rollup`]: rollup(2048) });
    const turns: number[] = [];
    for (const _ of asked) turns.push((await look()).filter((size) => size > MIB).length);
    expect(turns).toEqual(asked);

    for (const pid of pids) addFiles(root, processIn(pid, pid, 2048, { pages: 103 }));
    const scaled = (await look()).filter((size) => size === Math.round(2 * MIB * 1.03));
    expect(scaled).toHaveLength(count - (asked[0] ?? 0));
  });

  it("asks first whoever is new or has changed", async () => {
    const pids = Array.from({ length: 100 }, (_, i) => 1000 + i);
    const root = treeOf(Object.assign({ ...BIG_HOST }, ...pids.map((pid) => processIn(pid, pid, 1024))) as Files);
    const probe = hostMemoryProbe({ root });
    await probe.read(pids);
    await probe.read(pids);
    // Asked a moment ago, so not due by age.
    addFiles(root, processIn(1000, 1000, 7 * 1024, { pages: 200 }));
    // Another process with a pid that was in use.
    addFiles(root, processIn(1099, 1099, 3 * 1024, { start: 6 }));
    const { groupBytes } = await probe.read(pids);
    expect([groupBytes.get(1000), groupBytes.get(1099)]).toEqual([7 * MIB, 3 * MIB]);
  });

  it("finds at once whoever is born into a group, and within six looks whoever joined from elsewhere", async () => {
    const root = treeOf({ ...BIG_HOST, ...processIn(10, 10, 1024), ...processIn(90, 1, 1024) });
    const probe = hostMemoryProbe({ root });
    const look = async () => (await probe.read([10])).groupBytes.get(10);
    expect(await look()).toBe(MIB);
    addFiles(root, processIn(11, 10, 1024));
    expect(await look()).toBe(2 * MIB);
    addFiles(root, processIn(90, 10, 1024));
    const sizes = [await look(), await look(), await look(), await look(), await look()];
    expect(sizes.at(-1)).toBe(3 * MIB);
  });

  it("never takes a leader for a stranger, though it was seen before it led", async () => {
    const root = treeOf({ ...BIG_HOST, ...processIn(10, 10, 1024), ...processIn(20, 1, 1024) });
    const probe = hostMemoryProbe({ root });
    await probe.read([10]);
    addFiles(root, processIn(20, 20, 2048));
    expect((await probe.read([10, 20])).groupBytes.get(20)).toBe(2 * MIB);
  });

  it("forgets who has gone", async () => {
    const root = treeOf({ ...BIG_HOST, ...processIn(10, 10, 1024) });
    const probe = hostMemoryProbe({ root });
    await probe.read([10]);
    rmSync(join(root, "proc/10"), { recursive: true });
    expect((await probe.read([10])).groupBytes).toEqual(new Map());
  });
});

describe.skipIf(process.platform !== "linux")("DESIGN 7.6: real groups", () => {
  it("counts the children of a shell worker", async () => {
    const ready = tempDir();
    const { pid } = await startStranger('sleep 600 & sleep 600 & touch "$READY/$!"; wait', { READY: ready });
    await waitFor(() => pidsIn(ready).length === 1);
    const { groupBytes } = await hostMemoryProbe().read([pid]);
    const shellAlone = fieldIn(readFileSync(`/proc/${pid}/smaps_rollup`, "latin1"), "Pss") ?? 0;
    expect(groupBytes.get(pid)).toBeGreaterThan(shellAlone);
  });

  it.skipIf(!HAS_PYTHON)("counts once what forked workers share", async () => {
    const ready = tempDir();
    const script = `
import os, signal, sys
block = bytearray(os.urandom(1)) * (60 * 1024 * 1024)
for _ in range(3):
    if os.fork() == 0:
        open(os.path.join(os.environ["READY"], str(os.getpid())), "w").close()
        signal.pause()
signal.pause()`;
    const { pid } = await startStranger('exec /usr/bin/python3 -c "$SCRIPT"', { READY: ready, SCRIPT: script });
    const children = await waitFor(() => pidsIn(ready).length === 3 && pidsIn(ready));
    const { groupBytes } = await hostMemoryProbe().read([pid]);
    const resident = [pid, ...children].map(
      (each) => fieldIn(readFileSync(`/proc/${each}/status`, "latin1"), "VmRSS") ?? 0,
    );
    const sum = resident.reduce((total, bytes) => total + bytes, 0);
    expect(sum).toBeGreaterThan(240 * MIB);
    expect(groupBytes.get(pid)).toBeGreaterThan(60 * MIB);
    expect(groupBytes.get(pid)).toBeLessThan(120 * MIB);
  });

  it("goes on while processes come and go", async () => {
    const { pid } = await startStranger("while :; do /bin/true; done");
    const other = await startStranger("exec sleep 600");
    const probe = hostMemoryProbe();
    for (let look = 0; look < 30; look += 1) {
      const { groupBytes } = await probe.read([pid, other.pid]);
      expect(groupBytes.get(other.pid)).toBeGreaterThan(0);
    }
  });

  it("does not wait for a process that never answers", async () => {
    const root = treeOf({ ...BIG_HOST, ...processIn(10, 10, 1024), "proc/20/stat": stat(20, 20) });
    const fifo = join(root, "proc/20/smaps_rollup");
    addFiles(root, { "proc/20/status": "VmRSS: 2048 kB\n" });
    const ready = tempDir();
    // Open for writing, so that opening it for reading does not block, and reading does.
    await startStranger('mkfifo "$FIFO" && exec 3<>"$FIFO" && touch "$READY/$$" && exec sleep 600', {
      FIFO: fifo,
      READY: ready,
    });
    await waitFor(() => pidsIn(ready).length === 1);
    const probe = hostMemoryProbe({ root });
    const sizes = new Map([
      [10, MIB],
      [20, 2 * MIB],
    ]);
    expect((await probe.read([10, 20])).groupBytes).toEqual(sizes);
    // It is not asked again while it owes an answer.
    rmSync(fifo);
    addFiles(root, { "proc/20/smaps_rollup": rollup(1024) });
    expect((await probe.read([10, 20])).groupBytes).toEqual(sizes);
  });

  it("does not find a group that has ended", async () => {
    const child = spawn("/bin/sh", ["-c", "exit"], { detached: true, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => child.on("exit", resolve));
    expect((await hostMemoryProbe().read([child.pid ?? 0])).groupBytes).toEqual(new Map());
  });
});

describe("DESIGN 7.6: systems without /proc", () => {
  it("sums resident sizes by group, zombies apart", () => {
    const table =
      "    1 Ss    1024\n   10 S+     512\n   10 R      512\n   10 Z      999\n   30 S     4096\n garbage\n";
    expect(groupsIn(table, new Set([10, 30, 40]))).toEqual(
      new Map([
        [10, MIB],
        [30, 4 * MIB],
      ]),
    );
  });

  it.skipIf(process.platform === "win32")("asks ps once for all", async () => {
    const { pid } = await startStranger("exec sleep 600");
    const groupBytes = await groupsWithoutProc([pid]);
    expect(groupBytes.get(pid)).toBeGreaterThan(0);
    expect([...groupBytes.keys()]).toEqual([pid]);
  });

  it("counts on macOS what can be had, by what vm_stat and sysctl print", () => {
    const pages =
      "Mach Virtual Memory Statistics: (page size of 16384 bytes)\nPages free:                               1000.\nPages active:                             5000.\nPages inactive:                            500.\nPages speculative:                          10.\n";
    expect(availableIn(pages)).toBe(1500 * 16_384);
    expect(availableIn("")).toBeNull();
    expect(swapIn("total = 2048.00M  used = 1024.50M  free = 1023.50M  (encrypted)\n")).toEqual({
      swapTotalBytes: 2048 * MIB,
      swapUsedBytes: 1024.5 * MIB,
    });
    expect(swapIn("")).toEqual({ swapTotalBytes: null, swapUsedBytes: null });
  });
});
