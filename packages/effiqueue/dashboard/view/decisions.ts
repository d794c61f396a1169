/** The last decisions: what changed and why at a glance, and the whole story of each for whoever points at it, focuses or opens it. */
import type { DecisionEntry, ProgramStatus } from "../../src/report/api-types.ts";
import { explained } from "../../src/report/explain.ts";
import { whyOf } from "../../src/report/reasons/reasons.ts";
import { byId, el, keyed } from "../dom.ts";
import { timeText } from "../words.ts";

/** Those that style/decisions.css leaves visible until all are asked for. */
const AT_FIRST = 10;

const SIGNS = { grow: "▲", shrink: "▼", hold: "•" } as const;

export function showDecisions(parent: Element, decisions: readonly DecisionEntry[], status: ProgramStatus): void {
  keyed(parent, decisions.toReversed(), {
    key: ({ firstAt, reason, desiredWorkers }) => `${firstAt} ${reason} ${desiredWorkers}`,
    make,
    update: (element, entry) => update(element, entry, status),
  });
  byId("more").hidden = decisions.length <= AT_FIRST;
}

let made = 0;

function make(entry: DecisionEntry): Element {
  made += 1;
  const id = `story-${made}`;
  const button = el("button", { type: "button", class: "decision", "aria-expanded": "false", "aria-describedby": id });
  const item = el("li", { class: entry.action }, button, el("div", { class: "story", id }));
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    item.classList.toggle("dismissed", isOpen);
  });
  // What pops up must be possible to put away without moving the pointer or the focus.
  item.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") item.classList.add("dismissed");
  });
  for (const gone of ["pointerleave", "focusout"])
    item.addEventListener(gone, () => item.classList.remove("dismissed"));
  return item;
}

function update(item: Element, entry: DecisionEntry, status: ProgramStatus): void {
  const version = `${entry.lastAt} ${entry.times}`;
  const [button, story] = item.children;
  if (button === undefined || story === undefined || item.getAttribute("data-version") === version) return;
  item.setAttribute("data-version", version);
  const from = Date.parse(entry.firstAt);
  const time = el("time", { datetime: entry.firstAt, title: `${entry.firstAt} (UTC)` }, timeText(from));
  button.replaceChildren(
    time,
    el(
      "span",
      { class: "change" },
      el("span", { class: "sign", "aria-hidden": "true" }, SIGNS[entry.action]),
      ` ${changeText(entry)}`,
    ),
    el("span", { class: "why" }, whyOf(entry, status)),
    el("span", { class: "chip", "data-reason": entry.reason }, entry.reason),
    ...(entry.times > 1 ? [el("span", { class: "times" }, `${entry.times} ticks`)] : []),
  );
  const [, ...lines] = explained(entry, status);
  story.replaceChildren(...lines.map((line) => el("p", {}, line.trim())));
}

export function changeText({ action, currentWorkers, desiredWorkers }: DecisionEntry): string {
  return action === "hold" ? `stays at ${desiredWorkers}` : `${currentWorkers} → ${desiredWorkers}`;
}
