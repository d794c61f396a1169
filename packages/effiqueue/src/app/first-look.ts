/**
 * One look at every queue before a worker is started: a queue of a kind that cannot be scaled by is refused then and there, as the fault
 * of the configuration that it is. A broker that does not answer is none: it may come back. DESIGN 7.9.
 */
import { ConfigError, type Finding } from "../config/errors.ts";
import type { QueueReading } from "../model/observation.ts";
import type { Reading } from "../model/reading.ts";
import type { Newcomer, Successor } from "./fleet.ts";
import type { OpenQueue } from "./programs.ts";

interface Unread {
  readonly program: string;
  readonly source: OpenQueue;
}

export interface Looked {
  readonly newcomers: readonly Newcomer[];
  readonly successors: readonly Successor[];
}

/**
 * Looks at the queues that nobody has read yet.
 *
 * @returns the same, whose first reading is that look: it costs one and not two
 * @throws ConfigError naming every queue that is refused
 */
export async function looked(
  file: string,
  newcomers: readonly Newcomer[],
  successors: readonly Successor[] = [],
): Promise<Looked> {
  const unread = [
    ...newcomers.map(({ program, open }) => ({ program: program.name, source: open.source })),
    ...successors.flatMap(({ program, source }) => (source === null ? [] : [{ program: program.name, source }])),
  ];
  const readOf = await firstReadings(file, unread);
  const read = (source: OpenQueue): OpenQueue => readOf.get(source) ?? source;
  return {
    newcomers: newcomers.map((each) => ({ ...each, open: { ...each.open, source: read(each.open.source) } })),
    successors: successors.map((each) => ({ ...each, source: each.source && read(each.source) })),
  };
}

async function firstReadings(file: string, queues: readonly Unread[]): Promise<ReadonlyMap<OpenQueue, OpenQueue>> {
  const looks = await Promise.all(queues.map(async (each) => ({ ...each, reading: await each.source.read() })));
  const refused = looks.flatMap(({ program, reading }) => refusal(file, program, reading) ?? []);
  if (refused.length > 0) throw new ConfigError(refused);
  return new Map(looks.map(({ source, reading }) => [source, startingWith(reading, source)]));
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
