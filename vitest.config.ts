import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const source = (path: string): string => fileURLToPath(new URL(`packages/${path}`, import.meta.url));

/** Chaos takes two minutes and is a small file, which vitest would begin last, with nothing left beside it. What only computes runs meanwhile. */
const FIRST = [/\/chaos\./, /\/(decide|simulate)\//];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification): number => {
      const place = FIRST.findIndex((pattern) => pattern.test(moduleId));
      return place === -1 ? FIRST.length : place;
    };
    return (await super.sort(files)).sort((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  resolve: {
    // Tests in this process run the sources; the processes they spawn run `dist`, which `npm test` builds first.
    alias: [
      { find: /^effiqueue\/daemon$/, replacement: source("effiqueue/src/daemon.ts") },
      { find: /^effiqueue\/decide$/, replacement: source("effiqueue/src/decide/index.ts") },
      { find: /^effiqueue\/status$/, replacement: source("effiqueue/src/status.ts") },
      { find: /^effiqueue\/simulate$/, replacement: source("effiqueue/src/simulate/index.ts") },
      { find: /^effiqueue$/, replacement: source("effiqueue/src/index.ts") },
      { find: /^flexiq\/autoscale$/, replacement: source("flexiq/src/autoscale/index.ts") },
      { find: /^flexiq$/, replacement: source("flexiq/src/index.ts") },
    ],
  },
  test: {
    globalSetup: ["packages/effiqueue/test/support/broker-setup.ts"],
    include: ["packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    // Real processes on a shared machine: generous bounds, so that only a hang fails, never a slow minute.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
