/** What a reload has to do, found out from two configurations. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Change, planOf } from "../../src/app/reload-plan.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { Config } from "../../src/config/validate.ts";
import { tempDir } from "../support/temp-dir.ts";

const ABOVE = `queue_connection = "amqp://h"
command = "work"
slo_drain_time = "30s"
max_workers = 4
`;
const program = (name: string, lines = ""): string => `[[program]]\nqueue_name = "${name}"\n${lines}\n`;

function configOf(text: string): Config {
  const file = join(tempDir(), "effiqueue.toml");
  writeFileSync(file, text);
  return loadConfig(file);
}

const both = (): Config => configOf(ABOVE + program("a") + program("b"));
const planFor = (text: string) => planOf(both(), configOf(text));
const names = (changes: readonly Change[]): string[] => changes.map((each) => each.program.name);

describe("DESIGN 7.15: what a reload does", () => {
  it("nothing, for the same programs in another order", () => {
    const plan = planFor(ABOVE + program("b") + program("a"));
    expect(plan).toMatchObject({ added: [], changed: [], removed: [], fixed: [] });
    expect(plan.unchanged).toEqual(["b", "a"]);
  });

  it("tells programs apart by their names", () => {
    const plan = planFor(
      ABOVE + program("a") + program("c", 'queue_name = "b"').replace('queue_name = "c"', 'name = "c"'),
    );
    expect(plan.added.map(({ name }) => name)).toEqual(["c"]);
    expect([plan.removed, plan.unchanged]).toEqual([["b"], ["a"]]);
  });

  it.each([
    ["a limit", "max_workers = 5", false],
    ["a promise", 'slo_drain_time = "31s"', false],
    ["a command", 'command = "work --fast"', false],
    ["a variable of a worker", 'env = { LEVEL = "2" }', false],
    ["a schedule", '[[program.schedule]]\nname = "n"\ncron = "@daily"\nfor = "1h"\nmin_workers = 1', false],
    ["a queue", 'queue_connection = "amqp://other"', true],
    ["how a queue is asked", "management = false", true],
  ])("changes the program of %s and no other", (_, line, isOtherQueue) => {
    const plan = planFor(ABOVE + program("a", line) + program("b"));
    expect(plan.changed).toMatchObject([{ program: { name: "a" }, isOtherQueue }]);
    expect(plan.unchanged).toEqual(["b"]);
  });

  it("changes every program by what is shared", () => {
    const plan = planFor(`ram_budget = "2GB"\ndrain_timeout = "5s"\n${ABOVE}${program("a")}${program("b")}`);
    expect(names(plan.changed)).toEqual(["a", "b"]);
    expect(plan.config.shared.ramBudget).toBe(2 * 1024 ** 3);
  });

  it.each([
    ["metrics_addr", 'metrics_addr = ":9464"'],
    ["state_dir", 'state_dir = "/elsewhere"'],
    ["poll_interval", 'poll_interval = "20s"'],
    ["on_event", 'on_event = "http://hook/"'],
  ])("names %s as what takes a restart, and leaves everything as it was", (key, line) => {
    const plan = planFor(`${line}\n${ABOVE}${program("a")}${program("b")}`);
    expect(plan).toMatchObject({ fixed: [key], changed: [], unchanged: ["a", "b"] });
    expect(plan.config.shared).toEqual(both().shared);
  });

  it("is measured against what runs: what was carried out is nothing to do", () => {
    const next = configOf(`poll_interval = "20s"\n${ABOVE}${program("a", "max_workers = 9")}${program("c")}`);
    const again = planOf(planOf(both(), next).config, next);
    expect(again).toMatchObject({ added: [], changed: [], removed: [], fixed: ["poll_interval"] });
  });
});
