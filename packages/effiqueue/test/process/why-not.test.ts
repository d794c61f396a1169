/** Codes that a spawn throws, each with its words: real ones are seen in pool.test.ts and in faults/exhaustion.test.ts. */
import { describe, expect, it } from "vitest";
import { whyRefused } from "../../src/act/why-not.ts";

const thrown = (code: string): Error => Object.assign(new Error(`spawn ${code}`), { code });

describe("DESIGN 4.14: why no worker starts", () => {
  it.each([
    ["ENOMEM", "no memory is left to start a process (ENOMEM)"],
    ["EAGAIN", "no more processes may be started (EAGAIN): the limit is ulimit -u, TasksMax of the unit or pids.max"],
    ["EMFILE", "no more files can be opened (EMFILE): raise LimitNOFILE"],
    ["ENFILE", "the machine has as many open files as it may (ENFILE): raise fs.file-max"],
    ["E2BIG", "its arguments and its environment are longer than the system takes (E2BIG): shorten env"],
    ["EPERM", "the system refused its arguments or its environment (EPERM)"],
  ])("says of %s: %s", (code, words) => {
    expect(whyRefused(thrown(code))).toContain(words);
  });

  it("says what it can of an error without a code", () => {
    expect(whyRefused(new TypeError("no"))).toBe("the system refused its arguments or its environment");
  });
});
