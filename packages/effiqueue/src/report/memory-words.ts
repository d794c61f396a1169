/** The memory of a decision in parts of sentences. DESIGN 6.5. Pure. */
import type { DecisionEntry } from "./api-types.ts";
import { bytesText } from "./explain-words.ts";

type Memory = DecisionEntry["memory"];

export const budgetText = (memory: Memory): string =>
  memory?.budgetBytes == null ? "the budget is used up" : `${bytesText(memory.budgetBytes)} for all of them`;

export const workerText = (memory: Memory): string =>
  memory?.reservedBytes == null ? "" : `, ${bytesText(memory.reservedBytes)} for each`;

/** Where the budget holds not even one worker, which runs all the same (2.5). */
export const tooSmallText = (memory: Memory): string | undefined =>
  memory?.budgetBytes == null || memory.reservedBytes === null || memory.budgetBytes >= memory.reservedBytes
    ? undefined
    : `All of them together may take ${bytesText(memory.budgetBytes)}, and one takes ${bytesText(memory.reservedBytes)}: one runs all the same, or nothing would ever be done.`;

export const usedText = (memory: Memory): string => partText(memory?.usedBytes, memory?.totalBytes);

export const pressureText = (memory: Memory): string =>
  memory?.pressure == null ? "for a part of the time" : `for ${(memory.pressure * 100).toFixed(0)}% of the time`;

export const swapText = (memory: Memory): string => partText(memory?.swapUsedBytes, memory?.swapTotalBytes);

const partText = (used: number | null | undefined, total: number | null | undefined): string =>
  used == null || total == null ? "how much is unknown" : `${bytesText(used)} of ${bytesText(total)}`;
