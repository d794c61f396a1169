import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const HEAP = fileURLToPath(new URL("../../dist/app/heap.js", import.meta.url));

/** Bytes of the space for young objects after bursts of objects that outlive its collections. */
function youngBytesAfterBursts(firstStatement: string): number {
  const script = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { keepHeapSmall } from ${JSON.stringify(HEAP)};
    ${firstStatement}
    let kept = [];
    for (let burst = 0; burst < 80; burst++) {
      if (kept.length > 40_000) kept = [];
      for (let i = 0; i < 2_000; i++) kept.push({ i, list: [i] });
    }
    console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").physical_space_size);`;
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" }));
}

describe("DESIGN 7.9: the heap of a daemon", () => {
  it("has a megabyte for young objects and one to move them to, whatever bursts come, where V8 would take ten times that", () => {
    expect(youngBytesAfterBursts("keepHeapSmall();")).toBeLessThanOrEqual(4 * 1024 ** 2);
    expect(youngBytesAfterBursts("void keepHeapSmall;")).toBeGreaterThan(8 * 1024 ** 2);
  });
});
