import { describe, expect, it } from "vitest";
import { linux } from "../../src/act/platform/linux.ts";
import { posix } from "../../src/act/platform/posix.ts";
import { windows } from "../../src/act/platform/windows.ts";
import { warningsOf } from "../../src/app/warnings.ts";
import { load } from "../config/files.ts";

const CONFIG = `
command = "worker"
queue_connection = "amqp://localhost"
queue_name = "mail"
max_workers = 2
slo_drain_time = "1m"
`;

describe("DESIGN 4.2: what is said at the start", () => {
  const config = load(CONFIG);

  it("is nothing on Linux", () => {
    expect(warningsOf(config, 2, linux.lacks)).toEqual([]);
  });

  it.each([
    { system: "macOS and the BSDs", lacks: posix.lacks, words: ["not found again", "fewer workers fit"] },
    {
      system: "Windows",
      lacks: windows.lacks,
      words: ["end it in the middle", "neither counted nor ended", "not taken over", "not measured"],
    },
  ])("names what $system cannot do, and what that means", ({ lacks, words }) => {
    const said = warningsOf(config, 2, lacks);
    expect(said).toEqual(words.map((each) => expect.stringContaining(each) as string));
  });

  it("names the missing init of a container", () => {
    expect(warningsOf(config, 1, [])).toEqual([expect.stringContaining("put an init in front")]);
  });
});
