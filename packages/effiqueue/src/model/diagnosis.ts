/**
 * One thing that was checked before it matters, and how to mend it. DESIGN 7.10. Types only.
 */
export interface Diagnosis {
  /** What was checked, in a few words: `management API`. */
  readonly subject: string;
  readonly status: "ok" | "warning" | "failed" | "skipped";
  /** What was found, with the values; never a credential. */
  readonly found: string;
  /** What to do about it; only where something is to be done. */
  readonly remedy?: string;
}
