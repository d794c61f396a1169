import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BusyLine, PATIENT, PROMPT } from "../../src/store/busy.ts";

const locked = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

/** A line whose jitter is none, before a file that stays locked until `free`. */
function setUp() {
  const line = new BusyLine({ dbPath: "queue.db", timeoutMs: 10_000, chance: () => 1 });
  const file = { isLocked: true, tries: 0 };
  const attempt = (): string => {
    file.tries += 1;
    if (file.isLocked) throw locked;
    return "written";
  };
  return { line, file, attempt };
}

describe("DESIGN 9.11: how soon a locked file is tried again", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("after 1 ms, 2, 4, 8 and then 10 each, when somebody waits for the answer", () => {
    const { line, file, attempt } = setUp();
    void line.write(attempt, PROMPT);
    const triesAfter = [0, 1, 2, 4, 8, 10, 10].map((ms) => {
      vi.advanceTimersByTime(ms);
      return file.tries;
    });
    expect(triesAfter).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it("after 5 ms, 10, 20 and then 25 each, when nobody does", () => {
    const { line, file, attempt } = setUp();
    void line.write(attempt, PATIENT);
    const triesAfter = [4, 1, 10, 20, 25, 25].map((ms) => {
      vi.advanceTimersByTime(ms);
      return file.tries;
    });
    expect(triesAfter).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("keeps the order of those who stand in line, whatever their patience", async () => {
    const { line, file, attempt } = setUp();
    const order: string[] = [];
    const first = line.write(attempt, PATIENT).then(() => order.push("patient"));
    const second = line.write(attempt, PROMPT).then(() => order.push("prompt"));
    file.isLocked = false;
    vi.advanceTimersByTime(25);
    await Promise.all([first, second]);
    expect(order).toEqual(["patient", "prompt"]);
  });
});
