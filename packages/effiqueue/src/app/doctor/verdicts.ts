/** What a check can come to. DESIGN 7.10. */
import type { Diagnosis } from "../../model/diagnosis.ts";

export interface Verdict extends Diagnosis {
  /** Absent for what concerns the machine or the daemon as a whole. */
  readonly program?: string;
}

export const ok = (subject: string, found: string): Verdict => ({ subject, status: "ok", found });

/** It will run, and probably not as it was meant. */
export const warning = (subject: string, found: string, remedy: string): Verdict => ({
  subject,
  status: "warning",
  found,
  remedy,
});

/** The daemon, or its workers, will not start, or have nothing to do. */
export const failed = (subject: string, found: string, remedy: string): Verdict => ({
  subject,
  status: "failed",
  found,
  remedy,
});

/** It cannot be known here and now. */
export const skipped = (subject: string, found: string, remedy?: string): Verdict => ({
  subject,
  status: "skipped",
  found,
  ...(remedy === undefined ? {} : { remedy }),
});
