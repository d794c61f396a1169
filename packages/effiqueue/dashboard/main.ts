/**
 * The dashboard: the state of one program of the daemon, the last hour of it, and why. It reads and changes nothing. DESIGN 6.7.
 */
import "uplot/dist/uPlot.min.css";
import { visible } from "../src/model/visible.ts";
import type { DecisionEntry, ProgramStatus, StatusReply } from "../src/report/api-types.ts";
import { durationText } from "../src/report/explain-words.ts";
import { whyOf } from "../src/report/reasons/reasons.ts";
import { Charts } from "./chart/charts.ts";
import { byId, el, setText } from "./dom.ts";
import { askDecisions, askHistory, token } from "./live/daemon.ts";
import { type Connection, follow } from "./live/follow.ts";
import { continued, type Past, pastOf } from "./live/past.ts";
import { showBars } from "./view/bars.ts";
import { changeText, showDecisions } from "./view/decisions.ts";
import { programIn, showPrograms } from "./view/programs.ts";
import { showTiles } from "./view/tiles.ts";
import { verdictOf } from "./view/verdict.ts";
import { agoText, timeText } from "./words.ts";

const ANSWER_WITHIN_MS = 10_000;

let latest: StatusReply | null = null;
/** When `latest` came, by the clock of this page. */
let heardAt = 0;
let connection: Connection = "connecting";
/** Of the program that is shown. */
let shown: { readonly program: string; readonly past: Past; decisions: readonly DecisionEntry[] } | null = null;
let loading: string | null = null;

const moment = byId("moment");
const charts = new Charts(byId("charts"), (timeSec) => setText(moment, timeSec === null ? "" : whyAt(timeSec)));

function chosen({ programs }: StatusReply): ProgramStatus | undefined {
  const wanted = programIn(location.hash);
  return programs.find(({ program }) => program === wanted) ?? programs[0];
}

function heard(reply: StatusReply): void {
  latest = reply;
  heardAt = performance.now();
  byId("page").hidden = false;
  byId("login").hidden = true;
  const status = chosen(reply);
  if (status === undefined) return;
  show(reply, status);
  const nowSec = Date.parse(reply.now) / 1000;
  if (shown?.program !== status.program) {
    void load(status.program);
    return;
  }
  shown = { ...shown, past: continued(shown.past, nowSec, status) };
  charts.show(shown.past, nowSec);
  takeIn(shown, status);
}

/** The daemon repeats the latest decision only; when it is another one, there may be more of them. */
function takeIn(of: NonNullable<typeof shown>, status: ProgramStatus): void {
  const { decision } = status;
  const last = of.decisions.at(-1);
  if (decision === null) return;
  if (decision.firstAt === last?.firstAt && decision.reason === last.reason) {
    of.decisions = [...of.decisions.slice(0, -1), decision];
    showDecisions(byId("decisions"), of.decisions, status);
  } else void load(status.program);
}

/** What is behind the present: after a start, a choice, a break of the connection, and a change. */
async function load(program: string): Promise<void> {
  if (loading === program) return;
  loading = program;
  try {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const [history, decided] = await Promise.all([askHistory(program, signal), askDecisions(program, signal)]);
    const status = latest === null ? undefined : chosen(latest);
    if (status?.program !== program) return;
    const decisions = decided.programs[0]?.decisions ?? [];
    shown = { program, past: pastOf(history), decisions };
    charts.show(shown.past, Date.parse(history.now) / 1000);
    showDecisions(byId("decisions"), decisions, status);
  } catch {
    // The connection tells of its troubles; the next status tries again.
  } finally {
    loading = null;
  }
}

function show(reply: StatusReply, status: ProgramStatus): void {
  const { tone, title, brief, lines } = verdictOf(status);
  const name = visible(status.program);
  document.title = `${brief} · ${name} · effiQueue`;
  // Which tick it is, for whoever compares.
  byId("main").dataset["tick"] = status.lastTickAt ?? "";
  byId("verdict").dataset["tone"] = tone;
  setText(byId("program-name"), name);
  setText(byId("program-mode"), `mode ${status.mode}`);
  setText(byId("verdict-title"), visible(title));
  const paragraphs = byId("verdict-lines");
  if (paragraphs.textContent !== lines.map(visible).join("")) {
    paragraphs.replaceChildren(...lines.map((line) => el("p", {}, visible(line))));
  }
  showPrograms(byId("programs"), reply.programs, status.program);
  showBars(byId("bars"), status);
  showTiles(byId("tiles"), status);
  about(reply);
}

function about({ version, uptimeSec, pollIntervalSec }: StatusReply): void {
  const text = `effiQueue ${version}, up ${durationText(Math.round(uptimeSec))}, a look at the queue every ${durationText(pollIntervalSec)}.`;
  setText(byId("about-text"), text);
  // A link cannot carry the token.
  byId("about-links").hidden = token.get() !== null;
}

/** The decision that held at a moment. */
function whyAt(timeSec: number): string {
  const entry = shown?.decisions.findLast(({ firstAt }) => Date.parse(firstAt) / 1000 <= timeSec + 0.5);
  const status = latest === null ? undefined : chosen(latest);
  if (entry === undefined || status === undefined)
    return `${timeText(1000 * timeSec)}: older than the decisions below.`;
  return `${timeText(1000 * timeSec)}: ${changeText(entry)}. ${visible(whyOf(entry, status))}`;
}

const STATES: Readonly<Record<Connection, string>> = {
  connecting: "Connecting",
  live: "Live",
  polling: "Live, every few seconds",
  away: "No answer from the daemon; trying again",
};

function connected(state: Connection): void {
  // What happened in between has to be asked for.
  if (state !== connection && state === "live") shown = null;
  connection = state;
  const element = byId("connection");
  element.dataset["state"] = state;
  setText(element, STATES[state]);
  byId("page").classList.toggle("stale", state === "away");
}

/** The age of what is shown, each second; not where it would be read out each second. */
function showAge(): void {
  const status = latest === null ? undefined : chosen(latest);
  if (status?.lastTickAgeSec == null) return;
  setText(byId("age"), `last look ${agoText(status.lastTickAgeSec + (performance.now() - heardAt) / 1000)}`);
}

function start(): void {
  void follow({
    status: heard,
    connection: connected,
    tokenWanted() {
      const wasGiven = token.get() !== null;
      token.forget();
      byId("page").hidden = true;
      byId("login").hidden = false;
      connected("connecting");
      setText(byId("connection"), "Waiting for the token");
      setText(byId("login-error"), wasGiven ? "The daemon does not accept this token." : "");
      byId("token").focus();
    },
  });
}

byId("login").addEventListener("submit", (event) => {
  event.preventDefault();
  const input = byId("token") as HTMLInputElement;
  token.set(input.value.trim());
  input.value = "";
  start();
});
addEventListener("hashchange", () => {
  shown = null;
  if (latest !== null) heard(latest);
  byId("main").focus();
});
byId("more").addEventListener("click", () => {
  const isAll = byId("decisions").classList.toggle("all");
  setText(byId("more"), isAll ? "Show the latest only" : "Show older ones");
  byId("more").setAttribute("aria-expanded", String(isAll));
});
setInterval(showAge, 1000);
start();
