/** The autoscaler as a service would run it, in a process of its own; its log goes to the demo's screen. */
import { fileURLToPath } from "node:url";
import { AutoscaleController } from "flexiq/autoscale";
import { AUTOSCALE } from "./load.ts";
import { stopWithDemo, tell } from "./messages.ts";
import { queue } from "./tasks.ts";

const log = (fields: object, text: string): void => tell({ kind: "log", fields: { ...fields }, text });

const done = stopWithDemo();
const appPath = `${fileURLToPath(new URL("./tasks.js", import.meta.url))}:queue`;
await new AutoscaleController(
  queue,
  { ...AUTOSCALE, appPath },
  { logger: { debug: log, info: log, warn: log, error: log } },
).serveForever();
queue.close();
done();
