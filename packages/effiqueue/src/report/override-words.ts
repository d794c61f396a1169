/** What an operator told a program, as people say it. DESIGN 7.13. Pure. */
import type { OverrideKind } from "../model/override.ts";
import { counted } from "./explain-words.ts";

/** Of a kind that a newer daemon may have: its name. */
export function overrideText(kind: OverrideKind, workers: number): string {
  switch (kind) {
    case "pause":
      return `paused, so the pool stays at ${counted(workers, "worker")}`;
    case "pause-in":
      return `scaling in is paused, so the pool may grow and does not shrink (from ${counted(workers, "worker")})`;
    case "pause-out":
      return `scaling out is paused, so the pool may shrink and does not grow (from ${counted(workers, "worker")})`;
    case "scale":
      return `set to ${counted(workers, "worker")}`;
    case "drain":
      return "drained, so no worker is started";
  }
}

const NAMES: Readonly<Record<OverrideKind, string>> = {
  pause: "the pause",
  "pause-in": "the pause of scaling in",
  "pause-out": "the pause of scaling out",
  scale: "the number set by hand",
  drain: "the drain",
};

export const overrideName = (kind: OverrideKind): string => NAMES[kind];
