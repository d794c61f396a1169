/** A producer: any program that imports the tasks can hand out work. It needs no worker to be running. */
import { queue, resize } from "./tasks.ts";

const id = await resize.enqueue("a.png");
await queue.enqueue("resize", ["urgent.png", 1280], { priority: 10, uniqueKey: "resize:urgent.png" });
await queue.enqueueMany([
  { task: "resize", args: ["b.png"] },
  { task: "resize", args: ["c.png"], options: { delayMs: 500 } },
]);
console.log("enqueued; the first job is", id);

if (process.argv.includes("--wait")) console.log("result:", await queue.result(id, { timeoutMs: 30_000 }));
queue.close();
