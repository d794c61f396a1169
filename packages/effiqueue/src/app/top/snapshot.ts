/** One look, printed: for pipes, scripts and logs. DESIGN 6.8. */
import type { Style } from "../../report/top/line.ts";
import { picture } from "../../report/top/picture.ts";
import { chosen } from "../no-program.ts";
import type { Endpoint } from "../status-client.ts";
import { Feed } from "./feed.ts";

/** @throws StatusError, NoProgramError */
export async function snapshotText(
  endpoint: Endpoint,
  program: string | undefined,
  columns: number,
  style: Style,
): Promise<string> {
  const feed = new Feed(endpoint);
  const { status, views } = await feed.look();
  const { history } = feed.moment;
  return chosen(views, program)
    .map((view) => {
      const past = history.get(view.program) ?? [];
      const scene = { view, views: [view], past, now: status.now, notes: [], keys: false };
      return picture(scene, { columns, rows: Number.POSITIVE_INFINITY }, style).join("\n");
    })
    .join("\n\n");
}

/** The same as one value; `Infinity`, which JSON has not, is `infinite`. @throws as above */
export async function snapshotJson(endpoint: Endpoint, program: string | undefined): Promise<unknown> {
  const { status, views } = await new Feed(endpoint).look();
  const { apiVersion, version, now, startedAt } = status;
  const value = { apiVersion, version, now, startedAt, programs: chosen(views, program) };
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (each === Number.POSITIVE_INFINITY ? "infinite" : each)),
  );
}
