/**
 * What a program had learned when it was last written down: a hint for its next life, never worth failing for. Beside the list of workers,
 * and replaced as that is. DESIGN 7.18.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Interval } from "../model/decision.ts";
import type { Learned, LearnedRate } from "../model/learned.ts";
import type { UnknownRecord } from "../model/record.ts";
import { asObject, parseObject } from "./json.ts";
import { replaceFile } from "./state-file.ts";

const FORMAT = 1;

export type LearnedFile =
  | { readonly kind: "read"; readonly learned: Learned; readonly savedAtMs: number }
  | { readonly kind: "none" }
  | { readonly kind: "unusable"; readonly why: string };

/** @param of what it was learned of: of another command or queue it says nothing */
export function readLearned(folder: string, of: string): LearnedFile {
  const file = fileIn(folder);
  let text: string;
  try {
    if (!existsSync(file)) return { kind: "none" };
    text = readFileSync(file, "utf8");
  } catch (error) {
    return { kind: "unusable", why: error instanceof Error ? error.message : String(error) };
  }
  const content = parseObject(text);
  if (content === undefined) return { kind: "unusable", why: "it is not a JSON object" };
  if (content["of"] !== of) return { kind: "unusable", why: "it was learned of another command or queue" };
  const { format, savedAtMs } = content;
  const learned = format === FORMAT ? asLearned(content["learned"]) : undefined;
  if (learned === undefined || typeof savedAtMs !== "number" || !Number.isFinite(savedAtMs)) {
    return { kind: "unusable", why: `it is not what format ${FORMAT} says` };
  }
  return { kind: "read", learned, savedAtMs };
}

/** @throws when the folder cannot be written */
export function writeLearned(folder: string, of: string, savedAtMs: number, learned: Learned): void {
  replaceFile(fileIn(folder), `${JSON.stringify({ format: FORMAT, of, savedAtMs, learned }, null, 1)}\n`);
}

const fileIn = (folder: string): string => join(folder, "learned.json");

/** Half a truth is none. */
function asLearned(value: unknown): Learned | undefined {
  const entry = asObject(value);
  const [mu, lambda, workerBytes] = [entry?.["mu"], entry?.["lambda"], entry?.["workerBytes"]];
  // Absent in what was written down before it was learned.
  const grownBytes = entry?.["grownBytes"] ?? null;
  const source = asObject(mu)?.["source"];
  const muRate = asRate(mu);
  const lambdaRate = asRate(lambda);
  if (entry === undefined || muRate === undefined || lambdaRate === undefined) return undefined;
  if (!isSize(workerBytes) || !isSize(grownBytes)) return undefined;
  if (muRate === null) return { mu: null, lambda: lambdaRate, workerBytes, grownBytes };
  if (muRate.value === 0 || (source !== 1 && source !== 2)) return undefined;
  return { mu: { ...muRate, source }, lambda: lambdaRate, workerBytes, grownBytes };
}

function asRate(value: unknown): LearnedRate | null | undefined {
  if (value === null) return null;
  const rate = asObject(value);
  const [number, interval] = [rate?.["value"], asInterval(rate)];
  if (!isRate(number) || interval === undefined) return undefined;
  return { value: number, interval };
}

function asInterval(rate: UnknownRecord | undefined): Interval | null | undefined {
  if (rate?.["interval"] === null) return null;
  const interval = asObject(rate?.["interval"]);
  const [low, high] = [interval?.["low"], interval?.["high"]];
  return isRate(low) && isRate(high) && low <= high ? { low, high } : undefined;
}

const isSize = (value: unknown): value is number | null => value === null || (isRate(value) && value > 0);

const isRate = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0;
