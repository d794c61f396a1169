import { totalmem } from "node:os";
import { describe, expect, it } from "vitest";
import { sharedBudget } from "../../../src/decide/index.ts";
import { hostMemoryProbe } from "../../../src/observe/host/index.ts";
import { OomKills } from "../../../src/observe/host/oom-kills.ts";
import { groupMounts, ownGroups } from "../../../src/observe/host/places.ts";
import { bytesIn, fieldIn, limitIn, pressureIn } from "../../../src/observe/host/texts.ts";
import { Recorder } from "../../support/recorder.ts";
import {
  addFiles,
  BIG_HOST,
  CONTAINER_V1,
  type Files,
  GIB,
  MEMORY_V1,
  MIB,
  SERVICE,
  SLICE,
  treeOf,
  UNIFIED,
} from "./tree.ts";

const read = (...files: Files[]) => hostMemoryProbe({ root: treeOf(Object.assign({}, ...files) as Files) }).read([]);

describe("DESIGN 7.5: texts of the kernel", () => {
  it.each([
    ["max", null],
    ["max\n", null],
    ["", null],
    ["\n", null],
    [undefined, null],
    ["9223372036854771712\n", null],
    ["9223372036854775807", null],
    ["18446744073709551615", null],
    ["4611686018427387904", null],
    ["-1", null],
    ["1.5", null],
    ["0\n", 0],
    ["2147483648\n", 2 * GIB],
  ])("a limit of %j is %j", (text, bytes) => {
    expect(limitIn(text)).toBe(bytes);
  });

  it("takes what is no number for unknown, not for zero", () => {
    expect([bytesIn(""), bytesIn("unlimited"), bytesIn(undefined), bytesIn("0")]).toEqual([null, null, null, 0]);
  });

  it("finds a field by its whole name", () => {
    const stat = "inactive_file_x 1\ntotal_inactive_file 2\ninactive_file 4096\nShare: 7 kB\n";
    expect([fieldIn(stat, "inactive_file"), fieldIn(stat, "file"), fieldIn(stat, "Share")]).toEqual([4096, null, 7168]);
  });

  it.each([
    ["some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n", 0],
    ["some avg10=42.17 avg60=1.00 avg300=0.00 total=5\nfull avg10=7.00 avg60=0 avg300=0 total=0\n", 0.4217],
    ["full avg10=7.00 avg60=0.00 avg300=0.00 total=0\n", null],
    ["some avg10=170.00 avg60=0.00 avg300=0.00 total=0\n", null],
    [undefined, null],
  ])("pressure of %j is %j", (text, share) => {
    expect(pressureIn(text)).toBe(share);
  });
});

describe("DESIGN 7.5: which control groups count", () => {
  const mounted = (root: string, folder = "/sys/fs/cgroup") => `30 22 0:26 ${root} ${folder} rw - cgroup2 cgroup2 rw\n`;

  it.each<[string, string, string, readonly string[]]>([
    ["the root", "0::/", mounted("/"), ["/sys/fs/cgroup"]],
    [
      "a service",
      "0::/a.slice/b.service",
      mounted("/"),
      ["/sys/fs/cgroup/a.slice/b.service", "/sys/fs/cgroup/a.slice", "/sys/fs/cgroup"],
    ],
    [
      "a container that sees the host's paths",
      "0::/docker/abc/sub",
      mounted("/docker/abc"),
      ["/sys/fs/cgroup/sub", "/sys/fs/cgroup"],
    ],
    ["a group outside of what is mounted", "0::/../other", mounted("/"), ["/sys/fs/cgroup"]],
    ["a group beside what is mounted", "0::/docker/abcdef", mounted("/docker/abc"), ["/sys/fs/cgroup"]],
    ["a mount with a blank in its name", "0::/a", mounted("/", "/my\\040groups"), ["/my groups/a", "/my groups"]],
    ["a group with a colon in its name", "0::/a:b", mounted("/"), ["/sys/fs/cgroup/a:b", "/sys/fs/cgroup"]],
  ])("%s", (_, membership, mountinfo, folders) => {
    expect(ownGroups(membership, groupMounts(mountinfo), "memory")).toEqual([{ version: 2, folders }]);
  });

  it("finds both versions where both are mounted, and none where none is", () => {
    const mountinfo = `${mounted("/", "/sys/fs/cgroup/unified")}34 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n`;
    const mounts = groupMounts(mountinfo);
    expect(ownGroups("4:memory:/jobs\n1:cpu:/x\n0::/\n", mounts, "memory")).toEqual([
      { version: 2, folders: ["/sys/fs/cgroup/unified"] },
      { version: 1, folders: ["/sys/fs/cgroup/memory/jobs", "/sys/fs/cgroup/memory"] },
    ]);
    expect(ownGroups("4:memory:/jobs\n1:cpu:/x\n0::/\n", mounts, "cpu")).toEqual([
      { version: 2, folders: ["/sys/fs/cgroup/unified"] },
    ]);
    expect(ownGroups("4:memory:/jobs\n0::/\n", groupMounts(""), "memory")).toEqual([]);
    expect(ownGroups("", mounts, "memory")).toEqual([]);
  });
});

describe("DESIGN 7.5: the machine is the host or the control group", () => {
  const HOST = {
    totalBytes: 64 * GIB,
    usedBytes: 32 * GIB,
    swapTotalBytes: 4 * GIB,
    swapUsedBytes: GIB,
    limitedBy: "host",
    pressure: 0.125,
  };

  it("reads the host where nothing limits us", async () => {
    expect(await read(BIG_HOST)).toEqual({ ...HOST, groupBytes: new Map(), cpus: expect.anything() as unknown });
  });

  it.each(["max", "9223372036854771712", "18446744073709551615", "", String(65 * GIB), String(64 * GIB), "0"])(
    "takes a memory.max of %j for no limit",
    async (limit) => {
      expect(
        await read(BIG_HOST, UNIFIED, { [`${SERVICE}/memory.max`]: limit, [`${SERVICE}/memory.current`]: "1" }),
      ).toMatchObject(HOST);
    },
  );

  it.each(["9223372036854771712", "18446744073709551615", "", String(65 * GIB)])(
    "takes a memory.limit_in_bytes of %j for no limit",
    async (limit) => {
      expect(await read(BIG_HOST, CONTAINER_V1, { [`${MEMORY_V1}/memory.limit_in_bytes`]: limit })).toMatchObject(HOST);
    },
  );

  it("takes a container's limit, and does not count cache as used (CASES B24)", async () => {
    const v2 = await read(BIG_HOST, UNIFIED, {
      [`${SERVICE}/memory.max`]: `${2 * GIB}\n`,
      [`${SERVICE}/memory.current`]: `${1500 * MIB}\n`,
      [`${SERVICE}/memory.stat`]: `anon ${400 * MIB}\nfile ${1100 * MIB}\ninactive_file ${1000 * MIB}\nactive_file ${100 * MIB}\n`,
      [`${SERVICE}/memory.pressure`]: "some avg10=1.00 avg60=0.00 avg300=0.00 total=0\n",
    });
    expect(v2).toMatchObject({ totalBytes: 2 * GIB, usedBytes: 500 * MIB, limitedBy: `/${SERVICE}`, pressure: 0.01 });

    const v1 = await read(BIG_HOST, CONTAINER_V1, {
      [`${MEMORY_V1}/memory.limit_in_bytes`]: `${2 * GIB}\n`,
      [`${MEMORY_V1}/memory.usage_in_bytes`]: `${1500 * MIB}\n`,
      [`${MEMORY_V1}/memory.stat`]: `inactive_file 5\ntotal_inactive_file ${1000 * MIB}\n`,
    });
    expect(v1).toMatchObject({
      totalBytes: 2 * GIB,
      usedBytes: 500 * MIB,
      limitedBy: `/${MEMORY_V1}`,
      pressure: 0.125,
    });
  });

  it("holds four or five workers of 300 MB in a container of 2 GiB on a host of 64 (CASES B24)", async () => {
    const machine = await read(BIG_HOST, UNIFIED, {
      [`${SERVICE}/memory.max`]: String(2 * GIB),
      [`${SERVICE}/memory.current`]: String(900 * MIB),
      [`${SERVICE}/memory.stat`]: `inactive_file ${830 * MIB}\n`,
    });
    const budget = sharedBudget({ headroomBytes: 512 * MIB }).totalBytes(machine, 0) ?? 0;
    expect([4, 5]).toContain(Math.floor(budget / (300 * MIB)));
  });

  it("counts limits of parents, and takes the smallest", async () => {
    const files = {
      [`${SERVICE}/memory.max`]: String(8 * GIB),
      [`${SERVICE}/memory.current`]: String(GIB),
      [`${SLICE}/memory.max`]: String(4 * GIB),
      [`${SLICE}/memory.current`]: String(3 * GIB),
    };
    expect(await read(BIG_HOST, UNIFIED, files)).toMatchObject({
      totalBytes: 4 * GIB,
      usedBytes: 3 * GIB,
      limitedBy: `/${SLICE}`,
    });
  });

  it("counts limits above what a container of version 1 sees", async () => {
    const files = {
      [`${MEMORY_V1}/memory.limit_in_bytes`]: "9223372036854771712",
      [`${MEMORY_V1}/memory.usage_in_bytes`]: String(GIB),
      [`${MEMORY_V1}/memory.stat`]: `hierarchical_memory_limit ${3 * GIB}\n`,
    };
    expect(await read(BIG_HOST, CONTAINER_V1, files)).toMatchObject({ totalBytes: 3 * GIB, usedBytes: GIB });
  });

  it("counts as used what a wider group, or the host, has not left", async () => {
    const group = { [`${SERVICE}/memory.max`]: String(4 * GIB), [`${SERVICE}/memory.current`]: String(GIB) };
    const full = { [`${SLICE}/memory.max`]: String(6 * GIB), [`${SLICE}/memory.current`]: String(5 * GIB) };
    expect(await read(BIG_HOST, UNIFIED, group, full)).toMatchObject({ totalBytes: 4 * GIB, usedBytes: 3 * GIB });
    const meminfo = { "proc/meminfo": "MemTotal: 67108864 kB\nMemAvailable: 524288 kB\n" };
    expect(await read(meminfo, UNIFIED, group)).toMatchObject({ totalBytes: 4 * GIB, usedBytes: 3.5 * GIB });
  });

  it("takes the mark above which the kernel throttles for a limit", async () => {
    const files = {
      [`${SERVICE}/memory.max`]: "max",
      [`${SERVICE}/memory.high`]: String(3 * GIB),
      [`${SERVICE}/memory.current`]: String(GIB),
    };
    expect(await read(BIG_HOST, UNIFIED, files)).toMatchObject({ totalBytes: 3 * GIB, usedBytes: GIB });
  });

  it("does not know what is used where the group does not tell", async () => {
    expect(await read(BIG_HOST, UNIFIED, { [`${SERVICE}/memory.max`]: String(GIB) })).toMatchObject({
      totalBytes: GIB,
      usedBytes: null,
    });
  });

  it.each<[string, Files, number, number | null]>([
    ["none allowed", { [`${SERVICE}/memory.swap.max`]: "0", [`${SERVICE}/memory.swap.current`]: "0" }, 0, 0],
    [
      "some allowed",
      { [`${SERVICE}/memory.swap.max`]: String(GIB), [`${SERVICE}/memory.swap.current`]: String(MIB) },
      GIB,
      MIB,
    ],
    ["all allowed", { [`${SERVICE}/memory.swap.max`]: "max", [`${SERVICE}/memory.swap.current`]: "5" }, 4 * GIB, GIB],
    ["more allowed than there is", { [`${SERVICE}/memory.swap.max`]: String(9 * GIB) }, 4 * GIB, GIB],
    [
      "a parent allows less",
      { [`${SERVICE}/memory.swap.max`]: String(2 * GIB), [`${SLICE}/memory.swap.max`]: "0" },
      0,
      null,
    ],
  ])("swap of a group: %s", async (_, files, swapTotalBytes, swapUsedBytes) => {
    expect(await read(BIG_HOST, UNIFIED, files)).toMatchObject({ swapTotalBytes, swapUsedBytes });
  });

  it("reads the swap of a group of version 1 off the limit of both together", async () => {
    const files = {
      [`${MEMORY_V1}/memory.limit_in_bytes`]: String(2 * GIB),
      [`${MEMORY_V1}/memory.memsw.limit_in_bytes`]: String(3 * GIB),
      [`${MEMORY_V1}/memory.usage_in_bytes`]: String(GIB),
      [`${MEMORY_V1}/memory.stat`]: `swap 0\ntotal_swap ${100 * MIB}\n`,
    };
    expect(await read(BIG_HOST, CONTAINER_V1, files)).toMatchObject({ swapTotalBytes: GIB, swapUsedBytes: 100 * MIB });
  });

  it("knows a machine without swap from one whose swap it cannot see", async () => {
    const meminfo = "MemTotal: 1024 kB\nMemAvailable: 512 kB\n";
    const none = await read({ "proc/meminfo": `${meminfo}SwapTotal: 0 kB\nSwapFree: 0 kB\n` });
    expect(none).toMatchObject({ swapTotalBytes: 0, swapUsedBytes: 0 });
    expect(await read({ "proc/meminfo": meminfo })).toMatchObject({ swapTotalBytes: null, swapUsedBytes: null });
  });

  it("falls back to the total that Node knows, and leaves out what nobody tells", async () => {
    const reading = await read({ "proc/meminfo": "nonsense" });
    expect(reading).toMatchObject({ totalBytes: totalmem(), usedBytes: null, limitedBy: "host" });
    expect(reading).not.toHaveProperty("pressure");
  });

  it.each<[string, Files, string]>([
    ["its own group", UNIFIED, `${SERVICE}/memory.events`],
    ["its own group, version 1", CONTAINER_V1, `${MEMORY_V1}/memory.oom_control`],
    ["the machine", {}, "proc/vmstat"],
  ])("says when the kernel kills for want of memory: %s", async (_, place, file) => {
    const events = new Recorder();
    const root = treeOf({
      ...BIG_HOST,
      ...place,
      "proc/vmstat": "oom_kill 50\n",
      [file]: "oom_kill_disable 0\noom_kill 3\n",
    });
    const probe = hostMemoryProbe({ root, reporter: events });
    await probe.read([]);
    await probe.read([]);
    expect(events.all).toEqual([]);
    addFiles(root, { [file]: "oom_kill_disable 0\noom_kill 5\n" });
    await probe.read([]);
    await probe.read([]);
    expect(events.of("observe.memory.oom_killed")).toEqual([{ kills: 2, limited_by: "host" }]);
    // Another group, another account.
    addFiles(root, { [file]: "oom_kill 1\n" });
    await probe.read([]);
    expect(events.all).toHaveLength(1);
  });

  it("tells of each kill once whose worker asks, and of none that was before or in another group", async () => {
    const kills = (count: number): Files => ({ [`${SERVICE}/memory.events`]: `oom 9\noom_kill ${count}\n` });
    const events = new Recorder();
    const root = treeOf({ ...BIG_HOST, ...UNIFIED, ...kills(7), [`${SLICE}/memory.events`]: "oom_kill 90\n" });
    const probe = hostMemoryProbe({ root, reporter: events });
    expect(probe.claimOomKill()).toBe(false);
    addFiles(root, kills(9));
    expect([probe.claimOomKill(), probe.claimOomKill(), probe.claimOomKill()]).toEqual([true, true, false]);
    // The look that comes between a kill and the end of its worker takes nothing away, and says what was claimed as well.
    addFiles(root, kills(10));
    await probe.read([]);
    expect(probe.claimOomKill()).toBe(true);
    expect(events.of("observe.memory.oom_killed")).toMatchObject([{ kills: 3 }]);
    addFiles(root, { "proc/self/cgroup": "0::/system.slice\n" });
    expect(probe.claimOomKill()).toBe(false);
  });

  it("does not keep a kill that nobody claims for a later SIGKILL", () => {
    const account = (count: number): string => treeOf({ "proc/vmstat": `oom_kill ${count}\n` });
    const root = account(0);
    const oomKills = new OomKills(root, [], undefined);
    addFiles(root, { "proc/vmstat": "oom_kill 1\n" });
    oomKills.look([], "host", 1_000);
    expect(oomKills.claim([], 11_000)).toBe(false);
    addFiles(root, { "proc/vmstat": "oom_kill 2\n" });
    oomKills.look([], "host", 12_000);
    expect(oomKills.claim([], 21_999)).toBe(true);
  });

  it("reads this very machine", async () => {
    const { totalBytes, usedBytes, limitedBy } = await hostMemoryProbe().read([]);
    expect(totalBytes).toBeGreaterThan(64 * MIB);
    expect(usedBytes).toBeGreaterThan(0);
    expect(usedBytes).toBeLessThanOrEqual(totalBytes ?? 0);
    expect(limitedBy).toMatch(/^host$|^\//);
  });
});
