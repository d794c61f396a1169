/** The file of what was learned: read exactly as it was written, or not at all. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readLearned, writeLearned } from "../../src/act/learned-file.ts";
import type { Learned } from "../../src/model/learned.ts";
import { tempDir } from "../support/temp-dir.ts";

const LEARNED: Learned = {
  mu: { value: 8, interval: { low: 7.6, high: 8.4 }, source: 1 },
  lambda: { value: 0, interval: null },
  workerBytes: 1_000_000,
  grownBytes: 800_000,
};

function written(learned: unknown = LEARNED): { readonly folder: string; readonly file: string } {
  const folder = tempDir();
  writeLearned(folder, "subject", 1_234, learned as Learned);
  return { folder, file: join(folder, "learned.json") };
}

describe("DESIGN 7.18: learned.json", () => {
  it.each<[string, Learned]>([
    ["everything", LEARNED],
    ["nothing", { mu: null, lambda: null, workerBytes: null, grownBytes: null }],
    ["an inferred rate", { ...LEARNED, mu: { value: 8, interval: null, source: 2 } }],
  ])("gives back %s, and leaves no other file behind", (_, learned) => {
    const { folder } = written(learned);
    expect(readLearned(folder, "subject")).toEqual({ kind: "read", learned, savedAtMs: 1_234 });
    expect(readdirSync(folder)).toEqual(["learned.json"]);
  });

  it("is read where it was written before anybody learned what a grown worker takes", () => {
    const { grownBytes: _, ...older } = LEARNED;
    expect(readLearned(written(older).folder, "subject")).toMatchObject({ learned: { ...older, grownBytes: null } });
  });

  it("is none where there is none", () => {
    expect(readLearned(tempDir(), "subject")).toEqual({ kind: "none" });
  });

  it("says nothing of another subject", () => {
    expect(readLearned(written().folder, "other")).toEqual({
      kind: "unusable",
      why: "it was learned of another command or queue",
    });
  });

  it("is unusable wherever it is cut off", () => {
    const { folder, file } = written();
    const text = readFileSync(file, "utf8").trimEnd();
    for (let length = 0; length < text.length; length += 7) {
      writeFileSync(file, text.slice(0, length));
      expect(readLearned(folder, "subject").kind, `of ${length} bytes`).toBe("unusable");
    }
  });

  it.each<[string, unknown]>([
    ["a mu of nothing", { ...LEARNED, mu: { value: 0, interval: null, source: 1 } }],
    ["a negative mu", { ...LEARNED, mu: { value: -8, interval: null, source: 1 } }],
    ["a mu from nowhere", { ...LEARNED, mu: { value: 8, interval: null, source: 3 } }],
    ["a text for a number", { ...LEARNED, lambda: { value: "8", interval: null } }],
    ["ends the wrong way round", { ...LEARNED, lambda: { value: 8, interval: { low: 9, high: 7 } } }],
    ["half an interval", { ...LEARNED, lambda: { value: 8, interval: { low: 9 } } }],
    ["a worker of no size", { ...LEARNED, workerBytes: 0 }],
    ["one that grew to nothing", { ...LEARNED, grownBytes: "0" }],
    ["a list", []],
    ["something missing", { mu: null, lambda: null }],
  ])("is unusable with %s", (_, learned) => {
    expect(readLearned(written(learned).folder, "subject")).toMatchObject({
      kind: "unusable",
      why: expect.stringContaining("format") as string,
    });
  });

  it("is unusable where it cannot be read, and that is no failure", () => {
    const { folder, file } = written();
    writeFileSync(file, '{"format": 2, "of": "subject", "savedAtMs": 1, "learned": {}}');
    expect(readLearned(folder, "subject").kind).toBe("unusable");
    expect(readLearned(file, "subject").kind).toBe("none");
  });
});
