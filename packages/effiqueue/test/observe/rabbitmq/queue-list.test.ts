import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RabbitError } from "../../../src/observe/rabbitmq/errors.ts";
import { QueueList } from "../../../src/observe/rabbitmq/queue-list.ts";
import { QueueLists } from "../../../src/observe/rabbitmq/queue-lists.ts";
import { ManualClock } from "../../support/manual-clock.ts";

interface Sent {
  readonly path: string;
  readonly timeoutMs: number;
}

/** A list whose broker has every queue, each with as many messages as its name has characters, until `fail` says otherwise. */
function setup(vhost = "/") {
  const clock = new ManualClock();
  const sent: Sent[] = [];
  let failure: RabbitError | undefined;
  let closed = 0;
  const list = new QueueList(
    {
      asked: { whom: "the broker", isManagement: true, vhost },
      get: (path, timeoutMs) => {
        sent.push({ path, timeoutMs });
        const items = queuesIn(path).map((name) => ({ name, messages_ready: name.length }));
        return failure === undefined ? Promise.resolve({ items }) : Promise.reject(failure);
      },
      close: () => {
        closed += 1;
      },
    },
    clock,
  );
  return {
    list,
    clock,
    sent,
    /** By somebody who asks for nothing else. */
    ask: (queue: string, timeoutMs = 1_000) => list.totals({}, queue, timeoutMs),
    fail: () => {
      failure = new RabbitError("timeout", "the broker does not answer in time", "wait");
    },
    closed: () => closed,
  };
}

/** The names that a request is for, without the signs that escape them. */
function queuesIn(path: string): readonly string[] {
  const pattern = new URL(path, "http://broker").searchParams.get("name") ?? "";
  return [...pattern.matchAll(/\^((?:\\.|[^\\$])*)\$(?:\||$)/gs)].map(([, name = ""]) =>
    name.replaceAll(/\\(.)/gs, "$1"),
  );
}

/** Longer than anybody gathers. */
const A_WHILE_MS = 20;

describe("DESIGN 7.19: who asks at about the same moment asks together", () => {
  it("sends one request for all, and each gets its own", async () => {
    const { ask, clock, sent } = setup();
    const answers = [ask("a"), ask("bb"), ask("ccc")];
    clock.advance(1);
    answers.push(ask("dddd"), ask("a"));
    clock.advance(A_WHILE_MS);
    expect((await Promise.all(answers)).map((totals) => totals?.ready)).toEqual([1, 2, 3, 4, 1]);
    expect(sent.map(({ path }) => queuesIn(path))).toEqual([["a", "bb", "ccc", "dddd"]]);
  });

  it("asks anew for whoever comes after it was sent", async () => {
    const { ask, clock, sent } = setup();
    for (const queue of ["a", "b"]) {
      const answer = ask(queue);
      clock.advance(A_WHILE_MS);
      await answer;
    }
    expect(sent.map(({ path }) => queuesIn(path))).toEqual([["a"], ["b"]]);
  });

  it("tells all who asked together of the same trouble, and the next ones of nothing", async () => {
    const { ask, clock, fail } = setup();
    fail();
    const answers = Promise.allSettled([ask("a"), ask("b")]);
    clock.advance(A_WHILE_MS);
    const code = { status: "rejected", reason: { code: "timeout" } };
    expect(await answers).toMatchObject([code, code]);
  });

  it("gives nobody more time, and nobody less than the others of its round", async () => {
    const { ask, clock, sent } = setup();
    const answers = [ask("patient", 9_000), ask("hasty", 100), ask("hasty too", 100)];
    clock.advance(A_WHILE_MS);
    await Promise.all(answers);
    expect(sent.map(({ path }) => queuesIn(path))).toEqual([["patient"], ["hasty", "hasty too"]]);
    for (const [i, given] of [9_000, 100].entries()) {
      expect(sent[i]?.timeoutMs).toBeLessThan(given);
      expect(sent[i]?.timeoutMs).toBeGreaterThanOrEqual(given - A_WHILE_MS);
    }
  });

  it("closes the connection when the last one leaves, and not before", () => {
    const { list, closed } = setup();
    const [one, other] = [{}, {}];
    void list.totals(one, "a", 1_000);
    void list.totals(other, "b", 1_000);
    list.leave(one);
    list.leave(one);
    expect(closed()).toBe(0);
    list.leave(other);
    expect(closed()).toBe(1);
  });

  it("whatever the names, asks for each once, in requests that no server finds too long and that have room for the answer", async () => {
    // AMQP has no longer ones.
    const name = fc
      .oneof(
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
        fc.string({ minLength: 200, maxLength: 255 }),
      )
      .filter((each) => Buffer.byteLength(each) <= 255);
    await fc.assert(
      fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 150 }), name, async (names, vhost) => {
        const { ask, clock, sent } = setup(vhost);
        const answers = names.map((each) => ask(each));
        clock.advance(A_WHILE_MS);
        expect((await Promise.all(answers)).map((totals) => totals?.ready)).toEqual(names.map(({ length }) => length));
        const rounds = sent.map(({ path }) => queuesIn(path));
        expect(new Set(rounds.flat())).toEqual(new Set(names));
        for (const [i, { path }] of sent.entries()) {
          expect(path.length).toBeLessThanOrEqual(3_000);
          expect(rounds[i]?.length).toBeLessThanOrEqual(50);
          expect(new Set(rounds[i]).size).toBe(rounds[i]?.length);
        }
      }),
    );
  });

  it("forgets an address and its user with the last program that uses them", () => {
    const clock = new ManualClock();
    const lists = new QueueLists();
    const address = { tls: false, host: "broker", port: 15672, prefix: "", username: "app", password: "old" };
    const asked = { whom: "the broker", isManagement: true, vhost: "/" };
    const listNow = () => lists.of(address, asked, {}, clock);
    const list = listNow();
    const [one, other] = [{}, {}];
    for (const asker of [one, other]) void list.totals(asker, "q", 1_000);
    list.leave(one);
    expect(listNow()).toBe(list);
    list.leave(other);
    const next = listNow();
    expect(next).not.toBe(list);
    // Late news of the old one concerns nobody.
    list.leave(one);
    expect(listNow()).toBe(next);
  });

  it("is one list for all who read the same vhost in the same way, and for nobody else", () => {
    const clock = new ManualClock();
    const lists = new QueueLists();
    const address = { tls: true, host: "broker", port: 15671, prefix: "", username: "app", password: "secret" };
    const asked = { whom: "the broker", isManagement: true, vhost: "/" };
    const files = { tlsCa: "/ca.pem" };
    const list = lists.of(address, asked, files, clock);
    expect(lists.of({ ...address }, { ...asked }, { ...files }, clock)).toBe(list);
    const others = [
      lists.of({ ...address, host: "other" }, asked, files, clock),
      lists.of({ ...address, port: 443 }, asked, files, clock),
      lists.of({ ...address, prefix: "/rabbit" }, asked, files, clock),
      lists.of({ ...address, username: "ops" }, asked, files, clock),
      lists.of({ ...address, password: "other" }, asked, files, clock),
      lists.of(address, { ...asked, vhost: "other" }, files, clock),
      lists.of(address, asked, { tlsCa: "/other.pem" }, clock),
      lists.of(address, asked, {}, clock),
      new QueueLists().of(address, asked, files, clock),
    ];
    expect(new Set([list, ...others]).size).toBe(others.length + 1);
  });
});
