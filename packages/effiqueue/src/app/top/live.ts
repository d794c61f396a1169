/** The screen, until somebody or something ends it. DESIGN 6.8. */
import { constants } from "node:os";
import { meaningOf } from "../../report/top/keys.ts";
import { acted, newSession, screen } from "../../report/top/session.ts";
import { openTerminal, styleOf } from "../../report/top/terminal.ts";
import type { Endpoint } from "../status-client.ts";
import { Feed } from "./feed.ts";

const EVERY_MS = 1_000;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** @returns the exit code: 0, or 128 and the number of the signal that ended it */
export async function watchLive(endpoint: Endpoint, program: string | undefined): Promise<number> {
  const feed = new Feed(endpoint);
  let session = newSession(program);
  let end: (exitCode: number) => void = () => undefined;
  const ended = new Promise<number>((resolve) => (end = resolve));
  const quit = (): void => end(0);

  const style = styleOf(process.stdout, process.env);
  const terminal = openTerminal({
    onKey(key) {
      const meaning = meaningOf(key);
      if (meaning === "quit") end(0);
      else if (meaning === "suspend") terminal.suspend();
      else if (meaning === "redraw") terminal.forget();
      else if (meaning !== undefined) session = acted(session, meaning, feed.moment);
      draw();
    },
    onChange: () => draw(),
    onGone: quit,
  });
  const draw = (): void => terminal.draw(screen(session, feed.moment, terminal.size(), style));

  const signalled = (signal: NodeJS.Signals): void => end(128 + constants.signals[signal]);
  for (const signal of SIGNALS) process.on(signal, signalled);
  // Whoever started it as a part of itself has ended.
  process.once("disconnect", quit);

  let isAsking = false;
  const look = async (): Promise<void> => {
    if (isAsking) return;
    isAsking = true;
    // What went wrong is part of the moment.
    await feed.look().catch(() => undefined);
    isAsking = false;
  };
  const beat = setInterval(() => void look().then(draw), EVERY_MS);
  const clock = setInterval(draw, EVERY_MS);
  try {
    draw();
    await look();
    draw();
    return await ended;
  } finally {
    clearInterval(beat);
    clearInterval(clock);
    for (const signal of SIGNALS) process.off(signal, signalled);
    process.off("disconnect", quit);
    terminal.close();
  }
}
