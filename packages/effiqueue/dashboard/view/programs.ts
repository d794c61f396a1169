/** All programs of the daemon, each with its state in a few words; a link chooses one, so that an address can be kept or passed on. */

import { visible } from "../../src/model/visible.ts";
import type { ProgramStatus } from "../../src/report/api-types.ts";
import { counted } from "../../src/report/explain-words.ts";
import { el, keyed, setText } from "../dom.ts";
import { countText } from "../words.ts";
import { verdictOf } from "./verdict.ts";

const addressOf = (program: string): string => `#program=${encodeURIComponent(program)}`;

/** The program of an address; `null`: it names none. */
export function programIn(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get("program");
}

export function showPrograms(parent: HTMLElement, programs: readonly ProgramStatus[], chosen: string): void {
  parent.hidden = programs.length < 2;
  keyed(parent, programs, {
    key: ({ program }) => program,
    make: ({ program }) =>
      el(
        "a",
        { class: "program-link", href: addressOf(program) },
        el("span", { class: "name", title: visible(program) }, visible(program)),
        el("span", { class: "brief" }),
        el("span", { class: "count" }),
      ),
    update: (element, status) => {
      const { tone, brief } = verdictOf(status);
      const [, word, count] = element.children;
      element.setAttribute("data-tone", tone);
      if (status.program === chosen) element.setAttribute("aria-current", "page");
      else element.removeAttribute("aria-current");
      if (word !== undefined) setText(word, brief);
      if (count !== undefined) setText(count, countOf(status));
    },
  });
}

function countOf({ workers, queue }: ProgramStatus): string {
  const pool = workers === null ? [] : [counted(workers.current, "worker")];
  const backlog = queue === null ? [] : [`${countText(queue.backlog)} ${queue.backlog === 1 ? "message" : "messages"}`];
  return [...pool, ...backlog].join(" · ");
}
