/**
 * What the person at the screen has chosen, and what their keys do to it. A paused display keeps the moment it was paused at, so that
 * one can look at every program of it. DESIGN 6.8. Pure.
 */
import { visible } from "../../model/visible.ts";
import { clockTime, durationText } from "../explain-words.ts";
import { wrap } from "./cells.ts";
import { helpPicture } from "./help.ts";
import type { History } from "./history.ts";
import { painted, type Style } from "./line.ts";
import { picture } from "./picture.ts";
import type { Size } from "./scene.ts";
import type { ProgramView } from "./view.ts";

/** What is known at one moment. */
export interface Moment {
  /** Of the endpoint, without what it may hold of a password. */
  readonly origin: string;
  /** ISO 8601, of the daemon's clock; `null`: it has never answered. */
  readonly now: string | null;
  readonly views: readonly ProgramView[];
  readonly history: History;
  /** Why it does not answer, and for how long. */
  readonly trouble: { readonly message: string; readonly forSec: number } | null;
  /** When the daemon that answers now was started, where the viewer has seen another before; ISO 8601. */
  readonly restartedAt: string | null;
}

export interface Session {
  readonly chosen: string | undefined;
  readonly help: boolean;
  readonly paused: Moment | null;
}

export type Action = "next" | "previous" | "pause" | "help" | { readonly program: number };

export const newSession = (chosen: string | undefined): Session => ({ chosen, help: false, paused: null });

export function acted(session: Session, action: Action, moment: Moment): Session {
  const { views } = session.paused ?? moment;
  const chosen = chosenView(session, views);
  const at = chosen === undefined ? 0 : views.indexOf(chosen);
  const go = (to: number): Session => {
    const view = views[(to + views.length) % Math.max(1, views.length)];
    return { ...session, help: false, chosen: view?.program ?? session.chosen };
  };
  if (action === "help") return { ...session, help: !session.help };
  if (action === "pause") return { ...session, help: false, paused: session.paused === null ? moment : null };
  if (action === "next") return go(at + 1);
  if (action === "previous") return go(at - 1);
  return action.program <= views.length ? go(action.program - 1) : session;
}

/** The program that was chosen, or the first while that one is not there. */
const chosenView = ({ chosen }: Session, views: readonly ProgramView[]): ProgramView | undefined =>
  views.find(({ program }) => program === chosen) ?? views[0];

/** @returns at most `rows` lines of at most `columns` cells */
export function screen(session: Session, moment: Moment, size: Size, style: Style): string[] {
  if (session.help) return helpPicture(size, style);
  const shown = session.paused ?? moment;
  const view = chosenView(session, shown.views);
  const notes = notesOf(session, moment);
  if (view === undefined || shown.now === null) {
    const lines = notes.length === 0 ? [`Asking ${moment.origin}`] : notes;
    const wrapped = lines.flatMap((text) => wrap(visible(text), Math.max(8, size.columns - 2)));
    return wrapped.slice(0, size.rows).map((text) => painted([{ text: ` ${text}` }], size.columns, style));
  }
  const { views, history, now } = shown;
  return picture({ view, views, past: history.get(view.program) ?? [], now, notes, keys: true }, size, style);
}

function notesOf({ paused }: Session, { trouble, restartedAt, now }: Moment): string[] {
  const last = now === null ? "" : `; shown is ${clockTime(now)} UTC`;
  const away =
    trouble === null ? [] : [`No answer for ${durationText(trouble.forSec)}, still asking${last}. ${trouble.message}`];
  const begun = restartedAt === null ? [] : [`The daemon was started anew at ${clockTime(restartedAt)} UTC.`];
  const stopped = paused?.now == null ? [] : [`Paused at ${clockTime(paused.now)} UTC; space goes on.`];
  return [...away, ...begun, ...stopped];
}
