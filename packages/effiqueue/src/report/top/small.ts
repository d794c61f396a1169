/** The screen in few words, the most important first, for a corner of a screen. DESIGN 6.8. Pure. */
import { visible } from "../../model/visible.ts";
import { type Line, plain } from "./line.ts";
import type { Scene } from "./scene.ts";
import { briefVerdict } from "./verdict.ts";
import { briefest, drainText, grouped, lambdaWords, memoryWords, muWords } from "./words.ts";

export function smallPicture({ view, views, notes }: Scene): Line[] {
  const { figures, program, state, drainSec, arrivingPerSec, troubles, decisions, mode } = view;
  const verdict = briefVerdict(view);
  const [latest] = decisions;
  const warnings = [...notes, ...troubles].map((note): Line => [{ text: `! ${visible(note)}`, ink: "short" }]);
  const leaving = figures.draining === null || figures.draining === 0 ? "" : `, ${figures.draining} leave`;
  return [
    [
      { text: visible(program), ink: "strong" },
      { text: ` ${state}`, ink: state === "running" ? "work" : "alarm" },
      { text: views.length > 1 ? ` ${views.indexOf(view) + 1}/${views.length}` : "", ink: "faint" },
    ],
    ...warnings.slice(0, 1),
    ...(verdict === null ? [] : [verdict]),
    plain(`${grouped(figures.workers)} workers${leaving}`),
    plain(`backlog ${grouped(figures.backlog)}`),
    ...(mode === "slo" ? [plain(`drains in ${drainText(drainSec)}`)] : []),
    ...(mode === "slo" || arrivingPerSec !== null ? [plain(`lambda ${briefest(lambdaWords(view))}`)] : []),
    ...(mode === "slo" ? [plain(`mu ${briefest(muWords(view))}`)] : []),
    ...(mode === "slo" || figures.poolBytes !== null ? [plain(`memory ${briefest(memoryWords(view))}`)] : []),
    ...(latest === undefined ? [] : [plain(`${latest.reason}: ${latest.why}`)]),
    ...warnings.slice(1),
  ];
}
