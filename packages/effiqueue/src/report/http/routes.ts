/** What each path answers. The paths are all there is: nothing is served from the disk, and nothing can be changed. DESIGN 6.5. */
import type { DecisionsReply, ErrorReply } from "../api-types.ts";
import type { Board } from "../board.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { healthOf, readinessOf, type Verdict } from "./health.ts";

export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Served {
  readonly board: Board;
  readonly metrics: Metrics;
  /** The daemon's own word, beside that of the queues: false while it starts or stops. */
  readonly isReady: () => boolean;
}

type Route = (served: Served, query: URLSearchParams) => Reply | Promise<Reply>;

const ALLOWED = ["GET", "HEAD"];
const DECISIONS = 20;

const ROUTES: Readonly<Record<string, Route>> = {
  "/metrics": async ({ metrics }) => ({ status: 200, contentType: metrics.contentType, body: await metrics.expose() }),
  "/healthz": ({ board }) => judged(healthOf(board.status())),
  "/readyz": ({ board, isReady }) => {
    const { reasons } = readinessOf(board.status());
    const all = isReady() ? reasons : ["the daemon is starting or stopping", ...reasons];
    return judged({ ok: all.length === 0, reasons: all });
  },
  "/api/status": ({ board }) => json(200, board.status()),
  "/api/decisions": ({ board }, query) => decisions(board, query),
};

/** @param target of the request line: path and query. Never rejects. */
export async function replyTo(served: Served, method: string, target: string): Promise<Reply> {
  const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(target) ?? [];
  const route = Object.hasOwn(ROUTES, path) ? ROUTES[path] : undefined;
  if (route === undefined) return failed(404, `no such path; there are ${Object.keys(ROUTES).join(", ")}`);
  if (!ALLOWED.includes(method)) {
    return { ...failed(405, "this endpoint is read only"), headers: { Allow: ALLOWED.join(", ") } };
  }
  try {
    return await route(served, new URLSearchParams(query));
  } catch (error) {
    // What is wrong with one answer must not reach the loop.
    return failed(500, error instanceof Error ? error.message : String(error));
  }
}

/** `?program=NAME`, repeatable; without it all. `?limit=N`: most of each program. */
function decisions(board: Board, query: URLSearchParams): Reply {
  const limit = query.get("limit") ?? String(DECISIONS);
  if (!/^\d{1,6}$/.test(limit)) return failed(400, "limit: expected a whole number, such as 20");
  const all = board.decisions(Number(limit));
  const wanted = query.getAll("program");
  const known = all.map(({ program }) => program);
  const strange = wanted.find((program) => !known.includes(program));
  if (strange !== undefined) {
    return failed(
      404,
      `no program ${JSON.stringify(strange)}; there are ${known.map((name) => JSON.stringify(name)).join(", ")}`,
    );
  }
  const programs = wanted.length === 0 ? all : all.filter(({ program }) => wanted.includes(program));
  return json(200, { apiVersion: 1, programs } satisfies DecisionsReply);
}

const judged = (verdict: Verdict): Reply => json(verdict.ok ? 200 : 503, verdict);

const failed = (status: number, error: string): Reply => json(status, { error } satisfies ErrorReply);

const json = (status: number, value: object): Reply => ({
  status,
  contentType: "application/json; charset=utf-8",
  body: `${JSON.stringify(value)}\n`,
});
