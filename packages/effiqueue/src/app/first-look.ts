/**
 * One look at every queue before a worker is started: a queue of a kind that cannot be scaled by is refused then and there, as the fault
 * of the configuration that it is. A broker that does not answer is none: it may come back. DESIGN 7.9.
 */
import { ConfigError, type Finding } from "../config/errors.ts";
import type { QueueReading } from "../model/observation.ts";
import type { Reading } from "../model/reading.ts";
import type { OpenQueue } from "./programs.ts";

interface Looked {
  readonly program: string;
  readonly source: OpenQueue;
}

/**
 * @returns sources whose first reading is the one that was had here, so that the start costs one look and not two
 * @throws ConfigError naming every queue that is refused
 */
export async function lookAtQueues(file: string, programs: readonly Looked[]): Promise<readonly OpenQueue[]> {
  const looks = await Promise.all(programs.map(async (each) => ({ ...each, reading: await each.source.read() })));
  const refused = looks.flatMap(({ program, reading }) => refusal(file, program, reading) ?? []);
  if (refused.length > 0) throw new ConfigError(refused);
  return looks.map(({ source, reading }) => startingWith(reading, source));
}

function refusal(file: string, program: string, reading: Reading<QueueReading>): Finding | undefined {
  if (reading.kind === "ok" || !("code" in reading.cause) || reading.cause.code !== "stream") return undefined;
  return { file, program: `program ${JSON.stringify(program)}`, key: "queue_name", text: reading.cause.message };
}

function startingWith(first: Reading<QueueReading>, source: OpenQueue): OpenQueue {
  let had: Reading<QueueReading> | undefined = first;
  return {
    read() {
      const reading = had;
      had = undefined;
      return reading === undefined ? source.read() : Promise.resolve(reading);
    },
    close: () => source.close(),
  };
}
