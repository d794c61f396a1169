/** What the viewer knows after some ticks of a real board: figures through the exposition, as over the wire. */
import { openMetrics } from "../../../src/report/metrics/metrics.ts";
import { parseExposition } from "../../../src/report/metrics/parse.ts";
import { figuresOf } from "../../../src/report/top/figures.ts";
import { type History, remembered } from "../../../src/report/top/history.ts";
import type { Moment } from "../../../src/report/top/session.ts";
import { programView } from "../../../src/report/top/view.ts";
import { wallMs } from "../../../src/units.ts";
import { RECORD, type TestBoard } from "../records.ts";

export async function seen({ board }: TestBoard, history: History = new Map()): Promise<Moment> {
  const status = board.status();
  const figures = figuresOf(parseExposition(await openMetrics(board).expose()));
  const decisions = new Map(board.decisions(50).map((each) => [each.program, each.decisions]));
  const views = status.programs.map((program) =>
    programView(program, decisions.get(program.program) ?? [], figures.get(program.program), status),
  );
  const origin = "127.0.0.1:9464";
  const rest = { trouble: null, restartedAt: null };
  return { origin, now: status.now, views, history: remembered(history, views), ...rest };
}

/** The moment after each of the ticks, ten seconds apart, the past of the ones before with it. */
export async function seenAfter(onBoard: TestBoard, ticks: readonly (typeof RECORD)[]): Promise<Moment> {
  let moment = await seen(onBoard);
  for (const [index, tick] of ticks.entries()) {
    onBoard.clock.advance(10_000);
    onBoard.board.ticked({ ...tick, at: wallMs(RECORD.at + index * 10_000) });
    moment = await seen(onBoard, moment.history);
  }
  return moment;
}
