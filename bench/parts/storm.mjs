// 20,000 jobs, four workers, one of them killed at random each second: what is lost, what is stuck, what was finished
// more than once. A trigger in the file keeps the record, so no code of the queue counts for itself.
import Database from "better-sqlite3";
import { newContext, openProducer, openWorkers } from "../lib/field.mjs";
import { nowMs, sleep } from "../lib/wait.mjs";

const JOBS = 20_000;
const WORKERS = 4;
const QUIET_MS = 5000;
const LIMIT_MS = 180_000;

/** How each product spells a job's states; and a nap that keeps four workers of its kind busy for a dozen kills. */
const SPELLING = {
  flexiq: { table: "jobs", column: "state", done: 3, running: 2, waiting: [0, 1, 4], napMs: 40, slots: 16 },
  plainjob: { table: "plainjob_jobs", column: "status", done: 2, running: 1, waiting: [0], napMs: 2 },
};

export async function storm({ root, servers, entrants, say }) {
  const results = [];
  for (const [name, spelling] of Object.entries(SPELLING)) {
    const entrant = entrants.find((one) => one.name === name && one.variant === "default");
    if (entrant === undefined) continue;
    const result = await rage(root, servers, entrant, spelling);
    results.push({ title: entrant.title, name, ...result });
    say(`storm: ${entrant.title} ${JSON.stringify(result)}`);
  }
  return results;
}

async function rage(root, servers, entrant, { table, column, done, running, waiting, napMs, slots }) {
  const context = newContext(root, servers, entrant, { tasks: ["nap"], ...(slots && { slots }) });
  const producer = await openProducer(entrant, context);
  const database = new Database(context.db);
  database.pragma("busy_timeout = 5000");
  database.exec(`CREATE TABLE finishes (id INTEGER NOT NULL);
    CREATE TRIGGER record_finish AFTER UPDATE OF ${column} ON ${table} WHEN NEW.${column} = ${done}
    BEGIN INSERT INTO finishes VALUES (NEW.id); END`);
  const read = (sql) => database.prepare(`SELECT ${sql}`).pluck().get();
  const inState = (...states) => read(`count(*) FROM ${table} WHERE ${column} IN (${states.join(",")})`);
  await producer.call(
    "enqueueMany",
    "nap",
    Array.from({ length: JOBS }, () => ({ ms: napMs })),
  );
  await producer.close();

  let workers = await openWorkers(entrant, context, WORKERS);
  const replacements = [];
  const from = nowMs();
  let kills = 0;
  while (inState(...waiting) > 0 && nowMs() - from < LIMIT_MS) {
    await sleep(from + (kills + 1) * 1000 - nowMs());
    const victim = workers[Math.floor(Math.random() * workers.length)];
    victim.kill();
    kills++;
    workers = workers.filter((worker) => worker !== victim);
    replacements.push(openWorkers(entrant, context, 1).then((fresh) => workers.push(...fresh)));
  }
  await Promise.all(replacements);
  // What is going to be found is found within a few seconds of quiet.
  for (const quietFrom = nowMs(); inState(running, ...waiting) > 0 && nowMs() - quietFrom < QUIET_MS; ) await sleep(50);
  const result = {
    jobs: JOBS,
    kills,
    seconds: (nowMs() - from) / 1000,
    stuck: inState(running),
    lost: JOBS - inState(done, running),
    finishedMoreThanOnce: read("count(*) FROM (SELECT id FROM finishes GROUP BY id HAVING count(*) > 1)"),
    ...(entrant.name === "flexiq" && { ranMoreThanOnce: read("count(*) FROM jobs WHERE attempts > 1") }),
  };
  for (const worker of workers) worker.kill();
  database.close();
  return result;
}

export const stormRows = (results) =>
  results
    .filter(({ name }) => name === "flexiq")
    .map(({ kills, lost, stuck, finishedMoreThanOnce, ranMoreThanOnce }) => ({
      figure: `${JOBS} jobs, ${kills} kills: lost / stuck / finished more than once`,
      target: "0 / 0 / 0",
      text: `${lost} / ${stuck} / ${finishedMoreThanOnce} (${ranMoreThanOnce} ran again, of at most ${kills * 16} hit)`,
      ok: lost === 0 && stuck === 0 && finishedMoreThanOnce === 0,
    }));
