/** What every reason is made of, and the words that several of them share. DESIGN 6.5. Pure. */
import type { DecisionEntry, ProgramStatus } from "../api-types.ts";
import { counted, isOrAre } from "../explain-words.ts";

export type Say = (entry: DecisionEntry, status: ProgramStatus) => string;

export interface Explained {
  /** Completes "then came ...". */
  readonly name: string;
  readonly why: Say;
  /** What was measured and asked for, where another rule had the last word; absent where there is no signal. */
  readonly signal?: Say;
  /** Completes "To change it: ..."; absent where there is nothing to change. */
  readonly otherwise?: Say;
}

export const backlogOf = ({ ready, unacked }: DecisionEntry): number => (ready ?? 0) + (unacked ?? 0);
export const messages = (count: number): string => counted(count, "message");
export const workers = (count: number): string => counted(count, "worker");
export const wait = (entry: DecisionEntry): string =>
  `${messages(entry.ready ?? 0)} ${entry.ready === 1 ? "waits" : "wait"}`;

export const held: Say = (entry) =>
  entry.unacked === null ? `${wait(entry)}.` : `${wait(entry)}, ${entry.unacked} ${isOrAre(entry.unacked)} in work.`;
