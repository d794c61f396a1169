import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type DoctorParts, diagnose, type Verdict } from "../../../src/app/doctor/index.ts";
import type { Diagnosis } from "../../../src/model/diagnosis.ts";
import { hostMemoryProbe } from "../../../src/observe/host/index.ts";
import { load } from "../../config/files.ts";
import { tempDir } from "../../support/temp-dir.ts";

const TWO = `queue_connection = "amqp://app:s3cret-word@h"
max_workers = 2
slo_drain_time = "2m"
poll_interval = "2s"

[[program]]
queue_name = "mail"
command = "sh"

[[program]]
queue_name = "video"
command = "nosuchthing-at-all"
`;

const WELL: Diagnosis = { subject: "AMQP", status: "ok", found: "answers" };

function parts(queue: () => Promise<readonly Diagnosis[]>, closed: string[] = []): DoctorParts {
  return {
    openQueue: ({ name }) => ({
      diagnose: queue,
      close: () => Promise.resolve(void closed.push(name)),
    }),
    memory: hostMemoryProbe(),
    stateDir: join(tempDir(), "state"),
    place: { env: process.env, pid: process.pid, root: "/nowhere" },
  };
}

const heading = ({ status, program, subject }: Verdict): string =>
  [status, program, subject].filter((word) => word !== undefined).join(" ");

describe("DESIGN 7.10: the doctor", () => {
  it("goes through everything, in the order in which a start would meet it", async () => {
    const closed: string[] = [];
    const verdicts = await diagnose(
      load(TWO),
      parts(() => Promise.resolve([WELL]), closed),
    );
    expect(verdicts.map(heading)).toEqual([
      "ok configuration",
      "warning configuration",
      "ok mail state folder",
      "ok video state folder",
      "skipped metrics_addr",
      "ok mail AMQP",
      "ok mail worker command",
      "ok video AMQP",
      "failed video worker command",
      "ok memory",
      expect.stringMatching(/^(ok|warning) swap$/) as string,
      expect.stringMatching(/^(skipped|warning) memory for workers$/) as string,
      "ok processors",
      "skipped stop limit",
    ]);
    expect(closed.sort()).toEqual(["mail", "video"]);
  });

  it("has a remedy wherever something is to be done", async () => {
    const verdicts = await diagnose(
      load(TWO),
      parts(() => Promise.resolve([WELL])),
    );
    for (const { status, remedy } of verdicts) {
      if (status === "failed" || status === "warning") expect(remedy).toMatch(/\S/);
      if (status === "ok") expect(remedy).toBeUndefined();
    }
  });

  it("goes on when a queue breaks, and closes it", async () => {
    const closed: string[] = [];
    const verdicts = await diagnose(
      load(TWO),
      parts(() => Promise.reject(new Error("no luck")), closed),
    );
    expect(
      verdicts.filter(({ subject }) => subject === "queue").map(({ program, found }) => `${program ?? ""}: ${found}`),
    ).toEqual(["mail: no luck", "video: no luck"]);
    expect(verdicts.map(heading)).toContain("ok memory");
    expect(closed.sort()).toEqual(["mail", "video"]);
  });

  it("takes the endpoint's port for used by the daemon only where one runs", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.on("listening", resolve));
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const config = load(`metrics_addr = "127.0.0.1:${port}"\n${TWO}`);
    const verdicts = await diagnose(
      config,
      parts(() => Promise.resolve([WELL])),
    );
    expect(verdicts.map(heading)).toContain("failed metrics_addr");
  });
});
