/** Policies that are simple enough to know what comes of them. */
import type { Controller } from "effiqueue/simulate";

/** So many workers, whatever happens. */
export const pool = (size: number): Controller => ({
  name: `${size} workers`,
  pollSec: 60,
  sight: "counts",
  stops: "oldest",
  wakes: true,
  decide: () => ({ desired: size }),
});
