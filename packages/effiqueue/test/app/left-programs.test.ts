import { join } from "node:path";
import { expect, it } from "vitest";
import { leftPrograms } from "../../src/app/left-programs.ts";
import { systemClock } from "../../src/loop/clock.ts";
import { Recorder } from "../support/recorder.ts";
import { tempDir } from "../support/temp-dir.ts";

it("DESIGN 7.20: a state folder that cannot be looked through costs the look, not the start, and is said", () => {
  const reporter = new Recorder();
  const stateDir = join(tempDir(), "nowhere");
  const config = { file: "/etc/effiqueue.toml", programs: [] };
  expect(
    leftPrograms(stateDir, config, { clock: systemClock, reporter, oomKills: { claimOomKill: () => false } }),
  ).toEqual([]);
  const text = expect.stringContaining(`${stateDir} cannot be looked through (ENOENT`) as string;
  expect(reporter.of("app.config.warned")).toEqual([{ text }]);
});
