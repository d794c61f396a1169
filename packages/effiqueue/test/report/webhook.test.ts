/** Events out, to a real server on this machine: one that works, fails, hangs, refuses, redirects, and one that is not there. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EventFields } from "../../src/model/events.ts";
import { Notices } from "../../src/report/webhook/notices.ts";
import { openWebhook, type WebhookOptions } from "../../src/report/webhook/webhook.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { Recorder } from "../support/recorder.ts";
import { waitFor } from "../support/wait-for.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly url: string;
  readonly body: Record<string, unknown>;
}

type Answer = (response: ServerResponse, count: number) => void;

const answering =
  (...codes: readonly number[]): Answer =>
  (response, count) =>
    void response.writeHead(codes[Math.min(count, codes.length) - 1] ?? 200).end("thanks");

/** Listens until the test is over. */
async function receiver(answer: Answer = answering(200), port = 0) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      received.push({
        headers: request.headers,
        url: request.url ?? "",
        body: JSON.parse(text) as Record<string, unknown>,
      });
      answer(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { received, close, port: (server.address() as AddressInfo).port };
}

function hook(port: number, more: Partial<WebhookOptions> = {}) {
  const clock = new ManualClock();
  const log = new Recorder();
  const webhook = openWebhook({
    url: `http://u:p%40ss@127.0.0.1:${port}/services/T0/secret?x=1`,
    clock,
    reporter: log,
    chance: () => 1,
    ...more,
  });
  onTestFinished(() => webhook.close());
  /** A message about `program`. */
  const say = (program = "orders"): void => webhook.emit("decide.gap.cleared", { program, after_sec: 30 });
  const until = (name: Parameters<Recorder["of"]>[0], count = 1) =>
    waitFor(() => log.of(name).length >= count, { what: `${count} ${name}` });
  return { webhook, clock, log, say, until };
}

/** A port that nobody listens on. */
async function freePort(): Promise<number> {
  const { port, close } = await receiver();
  await close();
  return port;
}

const programsOf = (received: readonly Received[]): unknown[] => received.map(({ body }) => body["program"]);

describe("DESIGN 6.9: a message", () => {
  it("is a POST of JSON with the event, its sentence and its figures, and the header of the operator", async () => {
    const { port, received } = await receiver();
    const { say, until, log } = hook(port, { header: "X-Token: a: b" });
    say();
    await until("report.webhook.delivered");
    expect(received).toHaveLength(1);
    const [{ headers, url, body } = { headers: {}, url: "", body: {} }] = received;
    expect(url).toBe("/services/T0/secret?x=1");
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-token": "a: b",
      authorization: `Basic ${Buffer.from("u:p@ss").toString("base64")}`,
    });
    expect(body).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/) as string,
      at: "1970-01-01T00:16:40.000Z",
      event: "decide.gap.cleared",
      level: "info",
      program: "orders",
      host: expect.any(String) as string,
      text: expect.stringMatching(/^orders on .+: this machine can keep the SLO again, after 30 s$/) as string,
      fields: { program: "orders", after_sec: 30 },
    });
    const target = `127.0.0.1:${port}`;
    expect(log.all).toEqual([
      { name: "report.webhook.delivered", fields: { target, about: "decide.gap.cleared", attempts: 1 } },
    ]);
  });
});

describe("DESIGN 6.9: delivery", () => {
  it("is tried again after pauses that double, with the same id, in order, and its end is said", async () => {
    const { port, received } = await receiver(answering(500, 503, 200));
    const { say, until, log, clock } = hook(port);
    say("one");
    say("two");
    await until("report.webhook.failing");
    clock.advance(999);
    expect(received).toHaveLength(1);
    clock.advance(1);
    await until("report.webhook.failing", 2);
    clock.advance(1_999);
    expect(received).toHaveLength(2);
    clock.advance(1);
    await until("report.webhook.delivered", 2);
    expect(programsOf(received)).toEqual(["one", "one", "one", "two"]);
    expect(new Set(received.map(({ body }) => body["id"])).size).toBe(2);
    expect(log.of("report.webhook.failing").map(({ error, waiting }) => [error, waiting])).toEqual([
      ["it answers 500", 2],
      ["it answers 503", 2],
    ]);
    expect(log.of("report.webhook.delivered").map(({ attempts }) => attempts)).toEqual([3, 1]);
    expect(log.of("report.webhook.recovered")).toHaveLength(1);
  });

  it("waits for a server that is not there, and says so once", async () => {
    const port = await freePort();
    const { say, until, log, clock } = hook(port);
    say();
    await until("report.webhook.failing");
    const { received } = await receiver(answering(200), port);
    await waitFor(
      () => {
        clock.advance(60_000);
        return received.length > 0;
      },
      { what: "the message" },
    );
    await until("report.webhook.recovered");
    expect(log.of("report.webhook.failing").map(({ error }) => error)).toEqual(["ECONNREFUSED"]);
  });

  it("gives a server that hangs its time and no more, and nobody waits for it", async () => {
    const { port, received } = await receiver(() => undefined);
    const { say, until, log } = hook(port, { timeoutMs: 100 });
    for (let i = 0; i < 50; i++) say();
    expect(log.all).toEqual([]);
    await until("report.webhook.failing");
    expect(received).toHaveLength(1);
    expect(log.of("report.webhook.failing")[0]).toMatchObject({ error: "no answer within 0.1 s", waiting: 50 });
  });

  it.each([
    [404, "it answers 404"],
    [301, "it answers 301"],
    [401, "it answers 401"],
  ])("gives up a message that is answered with %d, and goes on with the next", async (code, why) => {
    const { port, received } = await receiver(answering(code, 200));
    const { say, until, log } = hook(port);
    say("one");
    say("two");
    await until("report.webhook.delivered");
    expect(programsOf(received)).toEqual(["one", "two"]);
    expect(log.of("report.webhook.dropped")).toMatchObject([{ about: "decide.gap.cleared", why }]);
  });

  it("keeps a hundred messages, and drops the oldest for more", async () => {
    const port = await freePort();
    const { say, until, log } = hook(port);
    for (let i = 0; i < 103; i++) say(`p${i}`);
    await until("report.webhook.dropped", 3);
    expect(log.of("report.webhook.dropped").map(({ why }) => why)).toEqual(Array(3).fill("more than 100 wait"));
  });

  it("tells one end of each message, also of the one that is on its way when too many wait", async () => {
    const asked: ServerResponse[] = [];
    const { port, received, close } = await receiver((response) => void asked.push(response));
    const { say, until, log } = hook(port);
    say("on its way");
    await waitFor(() => asked.length === 1);
    for (let i = 0; i < 100; i++) say(`p${i}`);
    await until("report.webhook.dropped");
    asked[0]?.writeHead(200).end();
    await until("report.webhook.delivered");
    await waitFor(() => asked.length === 2);
    expect(log.of("report.webhook.delivered")).toHaveLength(1);
    expect(log.of("report.webhook.dropped")).toHaveLength(1);
    expect(programsOf(received)).toEqual(["on its way", "p1"]);
    // Or the end of the test would wait for an answer.
    await close();
  });

  it("gives up what nobody took for an hour", async () => {
    const port = await freePort();
    const { say, until, log, clock } = hook(port);
    say();
    await until("report.webhook.failing");
    await waitFor(
      () => {
        clock.advance(60_000);
        return log.of("report.webhook.dropped").length > 0;
      },
      { what: "the end of patience" },
    );
    expect(log.of("report.webhook.dropped")).toMatchObject([{ why: "ECONNREFUSED, for an hour" }]);
    expect(clock.monotonicMs()).toBeGreaterThan(3_600_000);
  });
});

describe("DESIGN 6.9: the end", () => {
  it("delivers what waits for its next try, without the pause", async () => {
    const { port, received } = await receiver(answering(500, 200));
    const { say, until, webhook } = hook(port);
    say("one");
    say("two");
    await until("report.webhook.failing");
    await webhook.close();
    expect(programsOf(received)).toEqual(["one", "one", "two"]);
  });

  it("does not wait for a server that hangs, and says what was lost", async () => {
    const { port, received } = await receiver(() => undefined);
    const { say, webhook, clock, log } = hook(port);
    say("one");
    say("two");
    await waitFor(() => received.length === 1, { what: "the first try" });
    const closed = webhook.close();
    clock.advance(2_000);
    await closed;
    expect(log.of("report.webhook.dropped").map(({ why }) => why)).toEqual(["the daemon ends", "the daemon ends"]);
    say("three");
    expect(log.of("report.webhook.dropped")).toHaveLength(3);
  });

  it("is at once when nothing was ever said", async () => {
    await hook(1).webhook.close();
  });
});

describe("DESIGN 6.9: what is told", () => {
  const program = "orders";
  const unreadable = (for_sec: number): EventFields["observe.queue.unreadable"] => ({
    program,
    error: "gone",
    for_sec,
  });
  const backedOff = (consecutive_crashes: number): EventFields["act.spawning.backed_off"] => ({
    program,
    consecutive_crashes,
    delay_sec: 1,
  });

  it("is an unreadable queue once until it can be read again, whatever the log repeats", () => {
    const notices = new Notices();
    const told = [0, 60, 120].map((sec) => notices.noticeOf("observe.queue.unreadable", unreadable(sec)) !== null);
    expect(told).toEqual([true, false, false]);
    expect(notices.noticeOf("observe.queue.recovered", { program, after_sec: 130 })?.message).toBe(
      "the queue can be read again after 130 s",
    );
    expect(notices.noticeOf("observe.queue.unreadable", unreadable(0))?.level).toBe("warn");
    expect(notices.noticeOf("observe.queue.unreadable", { ...unreadable(0), program: "mail" })).not.toBeNull();
  });

  it("is a crash loop once until there is another", () => {
    const notices = new Notices();
    const told = [3, 4, 5, 3, 4].map((crashes) => notices.noticeOf("act.spawning.backed_off", backedOff(crashes)));
    expect(told.map((notice) => notice !== null)).toEqual([true, false, false, true, false]);
  });

  it("is nothing of the daily business, nor of the messages themselves", () => {
    const notices = new Notices();
    expect(notices.noticeOf("act.worker.spawned", { program, pid: 1, process_num: 0 })).toBeNull();
    expect(notices.noticeOf("act.spawning.resumed", { program })).toBeNull();
    expect(notices.noticeOf("report.webhook.failing", { target: "h", error: "e", waiting: 1 })).toBeNull();
  });
});
