/** What there is to draw, and where. DESIGN 6.8. Types only. */
import type { PastTick } from "./history.ts";
import type { ProgramView } from "./view.ts";

export interface Size {
  readonly columns: number;
  /** `Infinity`: as many as it takes. */
  readonly rows: number;
}

export interface Scene {
  readonly view: ProgramView;
  readonly views: readonly ProgramView[];
  readonly past: readonly PastTick[];
  /** ISO 8601, of the daemon. */
  readonly now: string;
  /** What is said of the connection or of the display; the most important first. */
  readonly notes: readonly string[];
  /** Where nobody can press a key there is no word of keys. */
  readonly keys: boolean;
}
