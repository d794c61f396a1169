/**
 * Which kind of system this is. DESIGN 1.4.
 */
import { linux } from "./linux.ts";
import type { Platform } from "./platform.ts";
import { posix } from "./posix.ts";
import { windows } from "./windows.ts";

export const thisSystem: Platform =
  process.platform === "linux" ? linux : process.platform === "win32" ? windows : posix;

/** What this system cannot do for workers, a sentence each; none on Linux. */
export const systemLacks: readonly string[] = thisSystem.lacks;
