/**
 * Reading records that may have been cut short, edited by hand, or written by another version: what is not exactly as
 * expected is `undefined`, never half a value. DESIGN 4.7, 4.8.
 */
import { isRecord, type UnknownRecord } from "../model/record.ts";
import type { ProcessIdentity } from "../model/worker.ts";

export function parseObject(text: string): UnknownRecord | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export const asObject = (value: unknown): UnknownRecord | undefined => (isRecord(value) ? value : undefined);

export const asCount = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export function asIdentity(value: unknown): ProcessIdentity | undefined {
  const record = asObject(value);
  const pid = asCount(record?.["pid"]);
  const [startTime, bootId, pidNamespace] = [record?.["startTime"], record?.["bootId"], record?.["pidNamespace"]];
  if (pid === undefined || pid < 1) return undefined;
  if (typeof startTime !== "string" || typeof bootId !== "string" || typeof pidNamespace !== "string") return undefined;
  return { pid, startTime, bootId, pidNamespace };
}
