// Scaling: what four worker processes drain against one, on a backlog that lasts them both seconds. SQLite has one writer at a time, so the
// question is not how much is gained but whether anything is lost.
import { ratios, spread } from "../lib/stats.mjs";
import { match } from "./drain.mjs";

export async function scaling({ root, servers, entrants, pairs, jobs, say }) {
  const results = [];
  for (const entrant of entrants.filter(({ name }) => name === "flexiq" || name === "bare")) {
    const [ones, fours] = [[], []];
    for (let pair = 0; pair < pairs; pair++) {
      ones.push(await match(root, servers, entrant, 1, jobs));
      fours.push(await match(root, servers, entrant, 4, jobs));
    }
    const { title, name } = entrant;
    results.push({ title, name, fourToOne: spread(ratios(fours, ones)), one: spread(ones), four: spread(fours) });
    say(`scaling: ${title}: ${JSON.stringify(results.at(-1).fourToOne)}`);
  }
  return results;
}

export function scalingRows(results) {
  return results
    .filter(({ name }) => name === "flexiq")
    .map(({ title, fourToOne }) => ({
      figure: `Drain, ${title}: four workers against one, ${fourToOne.rounds} pairs`,
      target: ">= 1",
      measured: fourToOne,
      unit: "x",
      ok: fourToOne.median >= 1,
    }));
}
