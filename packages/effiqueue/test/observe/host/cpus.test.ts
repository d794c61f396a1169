import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { cpuQuotas, quotaIn } from "../../../src/observe/host/cpu-quotas.ts";
import { hostCpus } from "../../../src/observe/host/cpu-times.ts";
import { CpuUse, type HostCpus } from "../../../src/observe/host/cpu-use.ts";
import { hostMemoryProbe } from "../../../src/observe/host/index.ts";
import { BIG_HOST, type Files, procStat, SERVICE, SLICE, treeOf, UNIFIED } from "./tree.ts";

const FOUR = procStat("100 0 50 800 50 0 0 0 0 0", "0 0 0 900 100 0 0 0", "1 1 1 1 1 1 1 1", "2 2 2 2 2 2 2 2")[
  "proc/stat"
];

/** Version 1 with processor time in one hierarchy, in a group of a group. */
const NESTED_V1: Files = {
  "proc/self/cgroup": "9:cpu,cpuacct:/jobs/night\n5:memory:/\n0::/\n",
  "proc/self/mountinfo": "40 30 0:40 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n",
};
const JOBS_V1 = "sys/fs/cgroup/cpu,cpuacct/jobs";

describe("DESIGN 7.11: the processors that are ours", () => {
  it("are those that we may run on, and are busy with everything but waiting", () => {
    expect(hostCpus(FOUR, "Name: x\nCpus_allowed_list:\t0-1\n")).toEqual({
      count: 2,
      times: { busy: 150, total: 2000 },
      limitedBy: "affinity",
    });
    expect(hostCpus(FOUR, "Cpus_allowed_list:\t0,2-3,64-127\n")).toMatchObject({ count: 3, limitedBy: "affinity" });
    // Lists also name processors that the machine could have.
    expect(hostCpus(FOUR, "Cpus_allowed_list:\t0-127\n")).toMatchObject({ count: 4, limitedBy: "host" });
    expect(hostCpus(FOUR, undefined)).toMatchObject({ count: 4, limitedBy: "host" });
  });

  it("are those that Node knows where the kernel tells nothing", () => {
    expect(hostCpus(undefined, undefined)).toEqual({
      count: availableParallelism(),
      times: null,
      limitedBy: "host",
    });
  });

  it.each([
    ["max 100000", null],
    ["150000 100000\n", 1.5],
    ["50000 100000", 0.5],
    ["0 100000", null],
    ["-1 100000", null],
    ["100000 0", null],
    ["100000", null],
    ["", null],
    [undefined, null],
  ])("a quota of %j is worth %j", (text, count) => {
    expect(quotaIn(text)).toBe(count);
  });
});

describe("DESIGN 7.11: quotas of control groups", () => {
  const reading = async (...files: Files[]) =>
    (await hostMemoryProbe({ root: treeOf(Object.assign({ "proc/stat": FOUR }, ...files) as Files) }).read([])).cpus;

  it("limit nothing where there are none, or more than the machine has", async () => {
    expect(await reading(BIG_HOST)).toMatchObject({ count: 4, limitedBy: "host" });
    expect(await reading(UNIFIED, { [`${SERVICE}/cpu.max`]: "max 100000\n" })).toMatchObject({ count: 4 });
    expect(await reading(UNIFIED, { [`${SERVICE}/cpu.max`]: "800000 100000\n" })).toMatchObject({ limitedBy: "host" });
  });

  it("are the smallest of ours and of those around us", async () => {
    const files = { [`${SERVICE}/cpu.max`]: "300000 100000\n", [`${SLICE}/cpu.max`]: "50000 50000\n" };
    expect(await reading(UNIFIED, files)).toEqual({ count: 1, busyShare: null, limitedBy: `/${SLICE}` });
  });

  it("are read in version 1 as well", async () => {
    const files = {
      [`${JOBS_V1}/cpu.cfs_quota_us`]: "250000\n",
      [`${JOBS_V1}/cpu.cfs_period_us`]: "100000\n",
      [`${JOBS_V1}/night/cpu.cfs_quota_us`]: "-1\n",
      [`${JOBS_V1}/night/cpu.cfs_period_us`]: "100000\n",
    };
    expect(await reading(NESTED_V1, files)).toMatchObject({ count: 2.5, limitedBy: `/${JOBS_V1}` });
  });

  it("come with what the group has used", () => {
    const v2 = { "g/cpu.max": "150000 100000\n", "g/cpu.stat": "usage_usec 2500000\nuser_usec 1\n" };
    expect(cpuQuotas(treeOf(v2), [{ version: 2, folders: ["/g"] }], [])).toEqual([
      { folder: "/g", count: 1.5, usedSec: 2.5 },
    ]);
    const v1 = {
      "g/cpu.cfs_quota_us": "150000\n",
      "g/cpu.cfs_period_us": "100000\n",
      "a/cpuacct.usage": "2500000000\n",
    };
    const [quotas, accounts] = [["/g"], ["/a"]].map((folders) => [{ version: 1 as const, folders }]);
    expect(cpuQuotas(treeOf(v1), quotas ?? [], accounts ?? [])).toEqual([{ folder: "/g", count: 1.5, usedSec: 2.5 }]);
    expect(cpuQuotas(treeOf(v1), quotas ?? [], [])).toEqual([{ folder: "/g", count: 1.5, usedSec: null }]);
  });
});

describe("DESIGN 7.11: how busy they are", () => {
  const host = (busy: number, total: number): HostCpus => ({ count: 4, times: { busy, total }, limitedBy: "host" });
  const quota = (usedSec: number | null, count = 2) => [{ folder: "/g", count, usedSec }];

  it("is known from the second look on, of the time in between", () => {
    const use = new CpuUse();
    expect(use.look(host(100, 1000), [], 0).busyShare).toBeNull();
    expect(use.look(host(150, 1200), [], 1000).busyShare).toBe(0.25);
    expect(use.look(host(350, 1400), [], 2000).busyShare).toBe(1);
  });

  it("stands between looks that are close, as they are when workers exit", () => {
    const use = new CpuUse();
    use.look(host(0, 0), [], 0);
    use.look(host(50, 400), [], 1000);
    expect(use.look(host(52, 402), [], 1005).busyShare).toBe(0.125);
    // The time since the last one that counted is not lost.
    expect(use.look(host(250, 800), [], 2000).busyShare).toBe(0.5);
  });

  it.each([
    ["what is used of the quota", 1, quota(1.5), 0.75],
    ["the machine, where that is fuller than the quota", 90, quota(0.2), 0.9],
    ["nothing of a quota that is none", 50, quota(9, 8), 0.5],
    ["never more than all", 1, quota(2.1), 1],
    ["the machine, where the group has no account", 30, quota(null), 0.3],
  ])("is %s", (_, hostBusy, quotas, share) => {
    const use = new CpuUse();
    const before = quotas.map((each) => ({ ...each, usedSec: each.usedSec === null ? null : 0 }));
    use.look(host(0, 0), before, 0);
    expect(use.look(host(hostBusy, 100), quotas, 1000).busyShare).toBeCloseTo(share);
  });

  it("is unknown after a move to another group and without figures of the machine", () => {
    const use = new CpuUse();
    const nothing: HostCpus = { count: 4, times: null, limitedBy: "host" };
    use.look(nothing, quota(5), 0);
    const other = [{ folder: "/other", count: 2, usedSec: 7 }];
    expect(use.look(nothing, other, 1000).busyShare).toBeNull();
    // An account that begins anew.
    expect(use.look(nothing, [{ folder: "/other", count: 2, usedSec: 1 }], 2000).busyShare).toBeNull();
  });

  it("is told of this very machine", async () => {
    const probe = hostMemoryProbe();
    const { cpus } = await probe.read([]);
    expect(cpus?.count).toBeGreaterThan(0);
    expect(cpus?.count).toBeLessThanOrEqual(availableParallelism());
    expect(cpus?.busyShare).toBeNull();
  });
});
