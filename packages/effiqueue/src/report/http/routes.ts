/** What each path answers. The paths are all there is, and nothing can be changed. DESIGN 6.5, 6.6. */
import type { IncomingHttpHeaders } from "node:http";
import type { DecisionsReply, ErrorReply } from "../api-types.ts";
import type { Board } from "../board.ts";
import { openPage, type Page } from "../dashboard/page.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type AdmissionRules, refusalOfSite, refusalOfToken } from "./admission.ts";
import { healthOf, readinessOf, type Verdict } from "./health.ts";

export interface Reply {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The connection stays open and tells what happens. */
export const FOLLOW = "follow";

export interface Served {
  readonly board: Board;
  readonly metrics: Metrics;
  /** The daemon's own word, beside that of the queues: false while it starts or stops. */
  readonly isReady: () => boolean;
}

export interface Asked {
  readonly method: string;
  /** Of the request line: path and query. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  /** All of the body. @throws BodyError when it is too long or does not come */
  readonly body: () => Promise<string>;
}

export type Answer = Reply | typeof FOLLOW;
type Route = (served: Served, query: URLSearchParams) => Answer | Promise<Answer>;

const ALLOWED = ["GET", "HEAD"];
const DECISIONS = 20;

/** Without figures: whoever watches over the daemon needs no token. */
const OPEN: Readonly<Record<string, Route>> = {
  "/healthz": ({ board }) => judged(healthOf(board.status())),
  "/readyz": ({ board, isReady }) => {
    const { reasons } = readinessOf(board.status());
    const all = isReady() ? reasons : ["the daemon is starting or stopping", ...reasons];
    return judged({ ok: all.length === 0, reasons: all });
  },
};

const GUARDED: Readonly<Record<string, Route>> = {
  "/metrics": async ({ metrics }) => ({ status: 200, contentType: metrics.contentType, body: await metrics.expose() }),
  "/api/status": ({ board }) => json(200, board.status()),
  "/api/decisions": ({ board }, query) => decisions(board, query),
  "/api/history": ({ board }, query) => history(board, query),
  "/api/events": () => FOLLOW,
};

const PATHS = ["/", ...Object.keys(OPEN), ...Object.keys(GUARDED)];

/** Answers requests by the rules. Never rejects. */
export function openRoutes(
  served: Served,
  rules: AdmissionRules,
  page: Page = openPage(),
): (asked: Omit<Asked, "body">) => Promise<Answer> {
  return async ({ method, target, headers }) => {
    const [, path = "", query = ""] = /^([^?]*)\??(.*)$/s.exec(target) ?? [];
    const strange = refusalOfSite(headers, rules.hosts);
    if (strange !== undefined) return failed(strange.status, strange.error);
    const guarded = own(GUARDED, path);
    const route = guarded ?? own(OPEN, path) ?? (await page.find(path));
    if (route === undefined) return failed(404, `no such path; there are ${PATHS.join(", ")}`);
    if (!ALLOWED.includes(method)) {
      return { ...failed(405, "this endpoint is read only"), headers: { Allow: ALLOWED.join(", ") } };
    }
    const unknown = guarded === undefined ? undefined : refusalOfToken(headers, rules.token);
    if (unknown !== undefined) {
      return { ...failed(unknown.status, unknown.error), headers: { "WWW-Authenticate": 'Bearer realm="effiqueue"' } };
    }
    try {
      return typeof route === "function" ? await route(served, new URLSearchParams(query)) : route;
    } catch (error) {
      // What is wrong with one answer must not reach the loop.
      return failed(500, error instanceof Error ? error.message : String(error));
    }
  };
}

const own = (routes: Readonly<Record<string, Route>>, path: string): Route | undefined =>
  Object.hasOwn(routes, path) ? routes[path] : undefined;

/** `?program=NAME`, repeatable; without it all. `?limit=N`: most of each program. */
function decisions(board: Board, query: URLSearchParams): Reply {
  const limit = query.get("limit") ?? String(DECISIONS);
  if (!/^\d{1,6}$/.test(limit)) return failed(400, "limit: expected a whole number, such as 20");
  const all = board.decisions(Number(limit));
  const wanted = query.getAll("program");
  const known = all.map(({ program }) => program);
  const strange = wanted.find((program) => !known.includes(program));
  if (strange !== undefined) return failed(404, noProgram(strange, known));
  const programs = wanted.length === 0 ? all : all.filter(({ program }) => wanted.includes(program));
  return json(200, { apiVersion: 1, programs } satisfies DecisionsReply);
}

/** `?program=NAME`: one at a time, for an hour of twenty programs would be a megabyte. It may be left out where there is but one. */
function history(board: Board, query: URLSearchParams): Reply {
  const known = board.status().programs.map(({ program }) => program);
  const [only] = known.length === 1 ? known : [];
  const program = query.get("program") ?? only;
  if (program === undefined) return failed(400, `program: name one of ${known.map(quoted).join(", ")}`);
  const reply = board.history(program);
  return reply === undefined ? failed(404, noProgram(program, known)) : json(200, reply);
}

const noProgram = (strange: string, known: readonly string[]): string =>
  `no program ${quoted(strange)}; there are ${known.map(quoted).join(", ")}`;

const quoted = (name: string): string => JSON.stringify(name);

const judged = (verdict: Verdict): Reply => json(verdict.ok ? 200 : 503, verdict);

export const failed = (status: number, error: string): Reply => json(status, { error } satisfies ErrorReply);

export const json = (status: number, value: object): Reply => ({
  status,
  contentType: "application/json; charset=utf-8",
  body: `${JSON.stringify(value)}\n`,
});
