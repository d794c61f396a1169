import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BusyLine, PATIENT, PROMPT } from "../../src/store/busy.ts";

const locked = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });

/** A line whose jitter is none, before a file that stays locked until `free`. */
function setUp() {
  const line = new BusyLine({ dbPath: "queue.db", timeoutMs: 10_000, chance: () => 1, guarded: (work) => work() });
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

  it("after 5 ms, 10, 20, 40 and then 80 each, when nobody does", () => {
    const { line, file, attempt } = setUp();
    void line.write(attempt, PATIENT);
    const triesAfter = [4, 1, 10, 20, 40, 80, 80].map((ms) => {
      vi.advanceTimersByTime(ms);
      return file.tries;
    });
    expect(triesAfter).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  /** How long a wait took that met a file which was locked for so many tries. */
  async function waitedMs({ line, file, attempt }: ReturnType<typeof setUp>, lockedTries: number): Promise<number> {
    file.isLocked = true;
    const [triesBefore, from] = [file.tries, Date.now()];
    const written = line.write(attempt, PATIENT);
    while (file.tries - triesBefore < lockedTries) vi.advanceTimersToNextTimer();
    file.isLocked = false;
    vi.advanceTimersToNextTimer();
    await written;
    return Date.now() - from;
  }

  it("later from the start by who has waited long when nobody does, and sooner again by who has not", async () => {
    const setting = setUp();
    const waits: number[] = [];
    for (const lockedTries of [3, 1, 1, 1, 1]) waits.push(await waitedMs(setting, lockedTries));
    expect(waits).toEqual([5 + 10 + 20, 20, 10, 5, 5]);
  });

  it("learns nothing from waits that somebody in a hurry has cut short", async () => {
    const setting = setUp();
    await waitedMs(setting, 4);
    setting.file.isLocked = true;
    const [patient, prompt] = [PATIENT, PROMPT].map((patience) => setting.line.write(setting.attempt, patience));
    vi.advanceTimersByTime(10);
    setting.file.isLocked = false;
    vi.advanceTimersByTime(10);
    await Promise.all([patient, prompt]);
    expect(await waitedMs(setting, 1)).toBe(40);
  });

  it("as soon as ever when somebody waits for the answer, whatever was before", async () => {
    const setting = setUp();
    await waitedMs(setting, 4);
    setting.file.isLocked = true;
    const { tries } = setting.file;
    void setting.line.write(setting.attempt, PROMPT);
    vi.advanceTimersByTime(1);
    expect(setting.file.tries - tries).toBe(2);
  });

  it("within 10 ms by those who stand before somebody that is waited for, however long they were to wait", () => {
    const { line, file, attempt } = setUp();
    void line.write(attempt, PATIENT);
    vi.advanceTimersByTime(5 + 10 + 20 + 40);
    const { tries } = file;
    void line.write(attempt, PROMPT);
    vi.advanceTimersByTime(10);
    expect(file.tries - tries).toBe(1);
    // Those who come later do not put it off.
    for (let ms = 0; ms < 10; ms += 1) {
      void line.write(attempt, PROMPT);
      vi.advanceTimersByTime(1);
    }
    expect(file.tries - tries).toBe(2);
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
