// The application that flexiq's workers load: `flexiq worker --app tasks.mjs:queue`.
import { Queue } from "flexiq";
import { handlers } from "./handlers.mjs";

const { BENCH_DB, BENCH_SLOTS, BENCH_DURABILITY } = process.env;

export const queue = new Queue({
  ...(BENCH_DB && { dbPath: BENCH_DB }),
  ...(BENCH_SLOTS && { workers: Number(BENCH_SLOTS) }),
  ...(BENCH_DURABILITY && { durability: BENCH_DURABILITY }),
});

for (const [name, run] of Object.entries(handlers)) queue.task(name, run);
