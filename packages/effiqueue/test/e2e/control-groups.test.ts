/** The daemon inside a real control group, as in a container or a systemd slice with limits. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { StatusReply } from "../../src/report/api-types.ts";
import { controlGroup, mayMakeGroups } from "../support/control-group.ts";
import { daemonOn } from "../support/daemon-process.ts";
import { effiqueue } from "../support/effiqueue-process.ts";
import { tempDir } from "../support/temp-dir.ts";

const MIB = 1024 ** 2;
const LIMITS = { memoryBytes: 512 * MIB, cpus: 0.5 };

const CONFIG = `
command = "sleep 1000"
metrics_addr = "127.0.0.1:0"
ram_headroom = "128MB"
queue_connection = "amqp://127.0.0.1:1"
queue_name = "orders"
management = false
mode = "threshold"
min_workers = 1
max_workers = 3
`;

describe.runIf(mayMakeGroups())("DESIGN 7.5, 7.11: in a group inside of a limited group (CASES B24)", () => {
  it("the daemon takes the limits for the machine, says whose they are, and shows them", async () => {
    const { through, memory, cpu } = controlGroup(LIMITS);
    const daemon = daemonOn(CONFIG).runThrough(through);
    expect(await daemon.logged("app.daemon.started")).toMatchObject({
      memory_total_bytes: LIMITS.memoryBytes,
      memory_limited_by: memory,
      cpus: LIMITS.cpus,
      cpus_limited_by: cpu,
    });
    await daemon.logged("loop.tick.decided");
    const status = (await (await fetch(`${await daemon.url()}/api/status`)).json()) as StatusReply;
    const [program] = status.programs;
    expect(program).toMatchObject({
      memory: { totalBytes: LIMITS.memoryBytes, limitedBy: memory },
      cpus: { count: LIMITS.cpus, limitedBy: cpu },
    });
    // What is in use is the group's own, and not the host's.
    expect(program?.memory?.usedBytes).toBeGreaterThan(0);
    expect(program?.memory?.usedBytes).toBeLessThan(LIMITS.memoryBytes);
    expect(await daemon.stop()).toBe(0);
  });

  it("the doctor says the same", async () => {
    const { through, memory, cpu } = controlGroup(LIMITS);
    const cwd = tempDir();
    writeFileSync(join(cwd, "effiqueue.toml"), CONFIG);
    const flags = ["doctor", "--config", "effiqueue.toml", "--state-dir", "state"];
    const { stdout } = await effiqueue(flags, { cwd, through });
    expect(stdout).toContain(`memory: 512 MiB by the limit of the control group ${memory}, `);
    expect(stdout).toContain(`processors: 0.5 by the quota of the control group ${cpu}`);
  });
});
