/** Faults drawn from a seed, for a minute on each product: the scenes of `npm run bench -- --only chaos`, which goes on for ten. */
import { expect, it } from "vitest";
import { describeBroker } from "../../packages/effiqueue/test/support/broker.ts";
import { rage } from "../../packages/effiqueue/test/support/chaos.ts";

/** Of faults; beginning, mending and working off what is left take as long again. */
const SECONDS = 60;

describeBroker("DESIGN 4.11: chaos from a seed", () => {
  it("loses nothing that was acknowledged, leaves nobody, and holds every limit after each fault, in both products", {
    timeout: 600_000,
  }, async () => {
    for (const { code, output } of await Promise.all([rage("daemon", SECONDS), rage("flexiq", SECONDS)])) {
      expect(code, output).toBe(0);
      expect(output).toMatch(/seed \d+/);
    }
  });
});
