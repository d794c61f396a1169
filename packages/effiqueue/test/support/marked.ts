/** Finding everything that a test has started, and what that started, by a mark in the environment. */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { onTestFinished } from "vitest";
import { killIfThere } from "./kill-if-there.ts";

const NAME = "EFFIQUEUE_TEST_MARK";

export interface Mark {
  /** For the environment of what is started. */
  readonly env: Readonly<Record<string, string>>;
  /** Pids of all living processes that carry it. */
  readonly living: () => number[];
}

/** A new mark; whatever carries it is killed at the end of the test. */
export function newMark(): Mark {
  const mark = randomUUID();
  const living = (): number[] =>
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(`${NAME}=${mark}`))
      .map(Number);
  onTestFinished(() => {
    for (const pid of living()) killIfThere(pid);
  });
  return { env: { [NAME]: mark }, living };
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1"); // empty for a zombie
  } catch {
    return "";
  }
}
