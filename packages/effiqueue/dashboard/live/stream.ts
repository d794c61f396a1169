/**
 * Server-sent events over `fetch`, because the browser's own `EventSource` cannot send a token. Only what the daemon sends is
 * understood: `event` and `data` of one line.
 */

export interface ServerEvent {
  readonly name: string;
  readonly data: string;
}

/** Calls back for each event, and for each sign of life; resolves when the stream has ended. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  heard: (event: ServerEvent | undefined) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) heard(eventOf(block));
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const fields = new Map(block.split("\n").map((line) => splitAt(line, line.indexOf(":"))));
  const data = fields.get("data");
  return data === undefined ? undefined : { name: fields.get("event") ?? "message", data };
}

const splitAt = (line: string, colon: number): [string, string] => [
  line.slice(0, colon),
  line.slice(colon + 1).trimStart(),
];
