import { describe, expect, it } from "vitest";
import type { QueueReading } from "../../../src/model/observation.ts";
import { brokerAddress, managementAddress, managementName } from "../../../src/observe/rabbitmq/address.ts";
import { alarmsIn, noteOn } from "../../../src/observe/rabbitmq/broker-watch.ts";
import { queuePath } from "../../../src/observe/rabbitmq/management.ts";
import { queueStats, totalsIn } from "../../../src/observe/rabbitmq/parse.ts";
import { PrefetchHint } from "../../../src/observe/rabbitmq/prefetch-hint.ts";
import { listPath, patternOf } from "../../../src/observe/rabbitmq/queue-list.ts";
import { type RejectWatch, withRejects } from "../../../src/observe/rabbitmq/rejects.ts";

const UNKNOWN = { total: null, rate: null };
const counter = (name: string, total: unknown, rate: unknown) => ({ [name]: total, [`${name}_details`]: { rate } });

describe("DESIGN 7.2: what the management API says becomes numbers or unknowns, never zeros", () => {
  it.each([
    // what the broker says, what naive code makes of it, finished
    ["nothing at all", undefined, UNKNOWN],
    ["an empty list instead of an object", [], UNKNOWN],
    ["null", null, UNKNOWN],
    ["arrivals only: nobody has consumed yet", counter("publish", 5, 2), UNKNOWN],
    ["a counter without a rate", { ack: 5 }, { total: 5, rate: null }],
    ["a rate of null", counter("ack", 5, null), { total: 5, rate: null }],
    ["a negative rate", counter("ack", 5, -1), { total: 5, rate: null }],
    ["a rate that is text", counter("ack", 5, "1.0"), { total: 5, rate: null }],
    ["a counter that is text", counter("ack", "5", 1), { total: null, rate: 1 }],
    ["an infinite counter", counter("ack", Number.POSITIVE_INFINITY, 1), { total: null, rate: 1 }],
    ["acknowledgements", counter("ack", 5, 1.5), { total: 5, rate: 1.5 }],
    ["consumers that need not acknowledge", counter("deliver_no_ack", 5, 1.5), { total: 5, rate: 1.5 }],
    ["pollers that need not acknowledge", counter("get_no_ack", 5, 1.5), { total: 5, rate: 1.5 }],
    [
      "all of them",
      { ...counter("ack", 5, 1.5), ...counter("deliver_no_ack", 7, 2), ...counter("get_no_ack", 1, 0.5) },
      { total: 13, rate: 4 },
    ],
    ["one rate of two missing", { ...counter("ack", 5, 1.5), deliver_no_ack: 7 }, { total: 12, rate: null }],
    [
      "one rate of two missing, of a counter that never moved",
      { ...counter("ack", 5, 1), get_no_ack: 0 },
      { total: 5, rate: 1 },
    ],
  ])("finished: %s", (_, stats, finished) => {
    expect(queueStats({ message_stats: stats }).finished).toEqual(finished);
  });

  it.each<[string, unknown, number | null]>([
    ["a stamp", 1_796_004_701, 1_796_004_701],
    ["a stamp in milliseconds, as some publishers have it", 1_796_004_701_250, 1_796_004_701.25],
    ["no stamp", undefined, null],
    ["null: no message, or one without", null, null],
    ["zero: of a publisher that set nothing", 0, null],
    ["text", "1796004701", null],
  ])("the oldest message: %s", (_, stamp, headStampSec) => {
    expect(queueStats({ head_message_timestamp: stamp }).headStampSec).toBe(headStampSec);
  });

  it.each<[string, unknown, { ready: number | null; unacked: number | null }]>([
    ["just declared", {}, { ready: null, unacked: null }],
    ["a quorum queue without optional fields", { messages_ready: 3 }, { ready: 3, unacked: null }],
    ["all counts", { messages: 5, messages_ready: 3, messages_unacknowledged: 2 }, { ready: 3, unacked: 2 }],
    ["ready is missing", { messages: 5, messages_unacknowledged: 2 }, { ready: 3, unacked: 2 }],
    [
      "ready is missing, and the rest contradicts itself",
      { messages: 1, messages_unacknowledged: 2 },
      { ready: null, unacked: 2 },
    ],
    ["null", { messages_ready: null, messages_unacknowledged: null }, { ready: null, unacked: null }],
    ["negative", { messages_ready: -1, messages_unacknowledged: -2 }, { ready: null, unacked: null }],
  ])("counts: %s", (_, answer, counts) => {
    expect(queueStats(answer).totals).toMatchObject(counts);
  });

  it("finds the queue among those that the broker's filter takes for the same", () => {
    const items = [
      { name: "Work", messages_ready: 1 },
      { name: "work", messages_ready: 2 },
    ];
    expect(totalsIn({ items }).get("work")?.ready).toBe(2);
    expect(totalsIn(items).get("work")?.ready).toBe(2);
    expect(totalsIn({ items: [] }).get("work")).toBeUndefined();
    expect(totalsIn(null).get("work")).toBeUndefined();
  });

  it("counts consumers by their details, which know first, else by their number", () => {
    expect(queueStats({ consumers: 3, consumer_details: [{}] }).consumers).toBe(1);
    expect(queueStats({ consumers: 3 }).consumers).toBe(3);
    expect(queueStats({}).consumers).toBeNull();
  });
});

describe("DESIGN 7.2: rejected messages count as finished once hands and put-back messages cannot explain them", () => {
  const look = (
    watch: RejectWatch | null,
    handed: { all: number; again?: number; acked: number; rate?: number },
    unacked: number,
  ) => {
    const { all, again = 0, acked, rate = 0 } = handed;
    const stats = {
      ...counter("deliver_get", all, rate),
      ...counter("redeliver", again, 0),
      ...counter("ack", acked, 0),
    };
    return withRejects(watch, queueStats({ message_stats: stats }), unacked);
  };

  it("believes acknowledgements while what is open is in hands", () => {
    const first = look(null, { all: 0, acked: 0 }, 0);
    expect(look(first.watch, { all: 100, acked: 50 }, 50).finished.total).toBe(50);
  });

  it("is not misled by workers that stop with their hands full", () => {
    let { watch } = look(null, { all: 0, acked: 0 }, 0);
    ({ watch } = look(watch, { all: 100, acked: 50 }, 50));
    // All 50 are put back, and others take 50 of the same.
    const after = look(watch, { all: 150, again: 0, acked: 50 }, 50);
    expect(after.finished.total).toBe(50);
    expect(look(after.watch, { all: 150, again: 50, acked: 60 }, 40).finished.total).toBe(60);
  });

  it("takes what was handed out for what was done when workers reject, with no burst between both", () => {
    let { watch } = look(null, { all: 0, acked: 0 }, 0);
    ({ watch } = look(watch, { all: 10, acked: 0, rate: 5 }, 1));
    const turned = look(watch, { all: 20, acked: 0, rate: 5 }, 1);
    expect(turned.finished).toEqual({ total: null, rate: 5 });
    expect(look(turned.watch, { all: 25, acked: 0, rate: 5 }, 1).finished).toEqual({ total: 25, rate: 5 });
  });

  it("counts those that were rejected before anybody looked, when it had seen the queue untouched", () => {
    const { watch } = withRejects(null, queueStats({}), 0);
    expect(look(watch, { all: 60, acked: 0 }, 0).watch?.isRejecting).toBe(true);
  });

  it("forgets it when the counters were reset", () => {
    let { watch } = look(null, { all: 0, acked: 0 }, 0);
    ({ watch } = look(watch, { all: 90, acked: 0 }, 1));
    expect(look(watch, { all: 3, acked: 2 }, 1).finished.total).toBe(2);
  });
});

describe("DESIGN 7.2: what the broker says of itself", () => {
  it.each([
    [{ rates_mode: "basic" }, null],
    [{ rates_mode: "detailed", disable_stats: false }, null],
    [{ rates_mode: "none" }, "rates_mode"],
    [{ rates_mode: "basic", disable_stats: true }, "disable_metrics_collector"],
    [[], null],
    [null, null],
  ])("settings %j: %s is noted", (overview, word) => {
    if (word === null) expect(noteOn(overview)).toBeNull();
    else expect(noteOn(overview)).toContain(word);
  });

  it.each([
    [200, '{"status":"ok"}', null],
    [
      503,
      '{"status":"failed","alarms":[{"node":"b","resource":"memory"},{"node":"a","resource":"disk"}]}',
      "disk on a, memory on b",
    ],
    [503, '{"error":"starting"}', undefined],
    [503, "<html>", undefined],
    [401, "{}", undefined],
    [404, "{}", undefined],
  ])("alarms, status %i, %s: %s", (status, body, alarms) => {
    expect(alarmsIn({ status, body })).toBe(alarms);
  });
});

describe("DESIGN 7.2: a prefetch that hides the backlog is named", () => {
  const said = (reading: QueueReading, times: number): string[] => {
    const hint = new PrefetchHint();
    return Array.from({ length: times }, () => hint.after(reading)).filter((note) => note !== null);
  };

  it("once, when a few consumers hold everything for several readings", () => {
    const notes = said({ ready: 0, unacked: 500, consumers: 2 }, 20);
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain("2 consumers hold 500 messages");
  });

  it.each<[string, QueueReading, number]>([
    ["something waits", { ready: 1, unacked: 500, consumers: 2 }, 20],
    ["hands hold a few each", { ready: 0, unacked: 30, consumers: 2 }, 20],
    ["nobody consumes", { ready: 0, unacked: 500, consumers: 0 }, 20],
    ["what is handed out is unknown", { ready: 0, unacked: null, consumers: 2 }, 20],
    ["it has just begun", { ready: 0, unacked: 500, consumers: 2 }, 5],
  ])("never when %s", (_, reading, times) => {
    expect(said(reading, times)).toEqual([]);
  });
});

describe("DESIGN 7.1: vhost and name are encoded exactly once", () => {
  it.each([
    ["", "/api/queues/%2F/q"],
    ["/", "/api/queues/%2F/q"],
    ["/%2f", "/api/queues/%2F/q"],
    ["/%2F", "/api/queues/%2F/q"],
    ["/my%20host", "/api/queues/my%20host/q"],
    ["/a%2Fb", "/api/queues/a%2Fb/q"],
    ["/100%", "/api/queues/100%25/q"],
    ["/%2541", "/api/queues/%2541/q"],
  ])("amqp://host%s", (path, expected) => {
    const { vhost } = brokerAddress(`amqp://host${path}`);
    expect(queuePath(vhost, "q").split("?")[0]).toBe(expected);
    expect(listPath(vhost, [patternOf("q")]).split("?")[0]).toBe(expected.slice(0, -"/q".length));
  });

  it("takes names with signs of regular expressions for themselves", () => {
    expect(decodeURIComponent(listPath("/", ["a.b+c/d", "e|f"].map(patternOf)))).toContain(
      "name=^a\\.b\\+c/d$|^e\\|f$",
    );
  });

  it("derives the management API from the broker: same host, same credentials, the port of its scheme", () => {
    const plain = managementAddress(brokerAddress("amqp://u:p%40ss@[::1]:1234/v"));
    expect(plain).toEqual({ tls: false, host: "::1", port: 15672, prefix: "", username: "u", password: "p@ss" });
    expect(managementName(plain)).toBe("http://[::1]:15672");
    expect(managementAddress(brokerAddress("amqps://host"))).toMatchObject({
      tls: true,
      port: 15671,
      username: "guest",
    });
  });

  it("takes prefix and credentials from management_url where it has them", () => {
    const broker = brokerAddress("amqp://u:p@host");
    expect(managementAddress(broker, "https://proxy/rabbit/")).toMatchObject({
      port: 443,
      prefix: "/rabbit",
      username: "u",
    });
    expect(managementAddress(broker, "http://x:y@proxy")).toMatchObject({
      port: 80,
      prefix: "",
      username: "x",
      password: "y",
    });
  });

  it("refuses what is no such URL, without repeating it", () => {
    for (const wrong of ["http://u:secret@host", "host:5672", "amqp://"]) {
      expect(() => brokerAddress(wrong)).toThrow("queue_connection is no URL of a broker");
      expect(() => brokerAddress(wrong)).not.toThrow("secret");
    }
  });
});
