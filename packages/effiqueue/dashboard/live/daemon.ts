/** Questions to the daemon that served this page, with the token when there is one. */
import type { DecisionsReply, ErrorReply, HistoryReply, StatusReply } from "../../src/report/api-types.ts";

export class TokenWanted extends Error {}

/** The tab forgets it when it is closed; no other tab and no other site sees it. */
const KEY = "effiqueue-token";

export const token = {
  get: (): string | null => sessionStorage.getItem(KEY),
  set: (value: string): void => sessionStorage.setItem(KEY, value),
  forget: (): void => sessionStorage.removeItem(KEY),
};

/** @throws TokenWanted; Error for whatever else is no answer */
export async function request(path: string, signal: AbortSignal): Promise<Response> {
  const known = token.get();
  const headers: HeadersInit = known === null ? {} : { authorization: `Bearer ${known}` };
  const response = await fetch(path, { headers, signal, cache: "no-store" });
  if (response.ok) return response;
  if (response.status === 401) throw new TokenWanted();
  const { error } = (await response.json()) as ErrorReply;
  throw new Error(error);
}

const ask = async <Reply>(path: string, signal: AbortSignal): Promise<Reply> =>
  (await (await request(path, signal)).json()) as Reply;

const DECISIONS = 30;

export const askStatus = (signal: AbortSignal): Promise<StatusReply> => ask("api/status", signal);

export const askHistory = (program: string, signal: AbortSignal): Promise<HistoryReply> =>
  ask(`api/history?program=${encodeURIComponent(program)}`, signal);

export const askDecisions = (program: string, signal: AbortSignal): Promise<DecisionsReply> =>
  ask(`api/decisions?limit=${DECISIONS}&program=${encodeURIComponent(program)}`, signal);
