/** A broker of AMQP that says what a client hears until it knows the length of a queue, and no more. */
import { createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A method frame. */
export function frame(channel: number, classId: number, methodId: number, fields: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(11);
  head.writeUInt8(1, 0);
  head.writeUInt16BE(channel, 1);
  head.writeUInt32BE(4 + fields.length, 3);
  head.writeUInt16BE(classId, 7);
  head.writeUInt16BE(methodId, 9);
  return Buffer.concat([head, fields, Buffer.from([0xce])]);
}

const zeros = (length: number): Buffer => Buffer.alloc(length);
const short = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
const long = (text: string): Buffer => Buffer.concat([zeros(3), short(text)]);

/** `connection.close`, as a broker says it out of the blue. */
export const goodbye = (code: number, text: string): Buffer =>
  frame(0, 10, 50, Buffer.concat([Buffer.from([code >> 8, code & 0xff]), short(text), zeros(4)]));

/** Of a queue in which seven messages wait. */
const LINES = {
  start: frame(0, 10, 10, Buffer.concat([Buffer.from([0, 9]), zeros(4), long("PLAIN"), long("en_US")])),
  tune: frame(0, 10, 30, Buffer.from([0, 0, 0, 2, 0, 0, 0, 10])),
  opened: frame(0, 10, 41, zeros(1)),
  channel: frame(1, 20, 11, zeros(4)),
  closed: frame(0, 10, 51),
  declared: frame(1, 50, 11, Buffer.concat([short("work"), Buffer.from([0, 0, 0, 7]), zeros(4)])),
} as const;

export type Line = keyof typeof LINES;
/** Until the length of the queue is known. */
export const HANDSHAKE = ["start", "tune", "opened", "channel", "declared"] as const satisfies readonly Line[];

export interface ScriptedBroker {
  readonly url: string;
  /** What it says in place of a line from the next connection on; `null`: it hangs up. Nothing: as it should. */
  misbehave(line?: Line, say?: (line: Buffer) => Buffer | null): void;
}

/** On 127.0.0.1; goes with the test. */
export async function scriptedBroker(): Promise<ScriptedBroker> {
  let odd: { readonly line?: Line | undefined; readonly say?: ((line: Buffer) => Buffer | null) | undefined } = {};
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const { line, say } = odd;
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
    hear(socket, (name) => {
      const answer = name === line && say !== undefined ? say(LINES[name]) : LINES[name];
      if (answer === null) socket.destroy();
      else socket.write(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return {
    url: `amqp://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    misbehave: (line, say) => {
      odd = { line, say };
    },
  };
}

/** What each method of a client is answered with, by class and method. */
const ANSWERS: Readonly<Record<string, Line>> = {
  "10.11": "tune",
  "10.40": "opened",
  "20.10": "channel",
  "50.10": "declared",
  "10.50": "closed",
};

const HEADER_BYTES = 8;

function hear(socket: Socket, answer: (name: Line) => void): void {
  let heard = Buffer.alloc(0);
  let isGreeted = false;
  socket.on("data", (part) => {
    heard = Buffer.concat([heard, part]);
    if (!isGreeted && heard.length >= HEADER_BYTES) {
      isGreeted = true;
      heard = heard.subarray(HEADER_BYTES);
      answer("start");
    }
    while (isGreeted && heard.length >= 7 && heard.length >= 8 + heard.readUInt32BE(3)) {
      const name = heard[0] === 1 ? ANSWERS[`${heard.readUInt16BE(7)}.${heard.readUInt16BE(9)}`] : undefined;
      heard = heard.subarray(8 + heard.readUInt32BE(3));
      if (name !== undefined) answer(name);
    }
  });
}
