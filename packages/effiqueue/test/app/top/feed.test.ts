import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { Feed } from "../../../src/app/top/feed.ts";
import { serving } from "../../report/endpoint.ts";
import { decided, ORDERS, RECORD, type TestBoard, testBoard } from "../../report/records.ts";

const at = (port: number): string => `http://127.0.0.1:${port}`;

/** What a daemon answers, with a record of what it was asked; it may be changed while it is asked. */
async function pretending(answer: (path: string) => string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path.replace(/\?.*/, ""));
    response.end(answer(path));
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return { asked, base: at((server.address() as AddressInfo).port) };
}

const statusOf = ({ board }: TestBoard): string => JSON.stringify(board.status());

describe("DESIGN 6.8: what the screen knows of the daemon", () => {
  it("is the figures, the decisions and the past of every program", async () => {
    const onBoard = testBoard([ORDERS]);
    for (const tick of [RECORD, decided({ mu: 4 }), RECORD]) {
      onBoard.clock.advance(10_000);
      onBoard.board.ticked(tick);
    }
    const { port } = await serving({ board: onBoard });
    const feed = new Feed({ base: at(port) });
    await feed.look();
    const { views, history, trouble } = feed.moment;
    expect(views[0]).toMatchObject({ program: "orders", figures: { needed: 78, muPerSec: 8 } });
    expect(views[0]?.decisions[0]).toMatchObject({ from: 23, to: 24, reason: "ram" });
    expect(history.get("orders")?.map(({ muPerSec }) => muPerSec)).toEqual([8, 4, 8]);
    expect(trouble).toBeNull();
  });

  it("costs the daemon no more than its status while no tick has ended", async () => {
    const onBoard = testBoard([ORDERS]);
    onBoard.board.ticked(RECORD);
    const { asked, base } = await pretending((path) =>
      path === "/api/status" ? statusOf(onBoard) : path.startsWith("/api/decisions") ? `{"programs":[]}` : "",
    );
    const feed = new Feed({ base });
    for (let look = 0; look < 4; look += 1) await feed.look();
    expect(asked.filter((path) => path === "/api/status")).toHaveLength(4);
    expect(asked.filter((path) => path === "/metrics")).toHaveLength(1);
    onBoard.board.ticked({ ...RECORD, at: (RECORD.at + 10_000) as typeof RECORD.at });
    await feed.look();
    expect(asked.filter((path) => path === "/metrics")).toHaveLength(2);
  });

  it("is kept while nobody answers, with the reason, and goes on when the daemon is back, which it says", async () => {
    let daemon: TestBoard | undefined = testBoard([ORDERS]);
    daemon.board.ticked(RECORD);
    const first = await serving({ board: daemon });
    const address = first.server.address;
    const feed = new Feed({ base: `http://${address}` });
    await feed.look();
    await first.server.close();
    await expect(feed.look()).rejects.toThrow("nobody listens there");
    expect(feed.moment.trouble?.message).toContain("nobody listens there");
    expect(feed.moment.views).toHaveLength(1);

    daemon = testBoard([ORDERS]);
    daemon.clock.advance(3_600_000);
    const { board } = testBoard([ORDERS], { clock: daemon.clock });
    board.ticked(RECORD);
    await serving({ board: { board, clock: daemon.clock }, address });
    await feed.look();
    expect(feed.moment.trouble).toBeNull();
    expect(feed.moment.restartedAt).toBe(board.status().startedAt);
  });

  it("shows the token", async () => {
    const { port } = await serving({ board: testBoard([ORDERS]), token: "0123456789abcdef" });
    await expect(new Feed({ base: at(port) }).look()).rejects.toThrow("send the token");
    const known = await new Feed({ base: at(port), token: "0123456789abcdef" }).look();
    expect(known.views).toHaveLength(1);
  });

  it.each([
    ["another version", `{"apiVersion":2}`, "answers in version 2, and this is version 1"],
    ["another shape", `{"apiVersion":1,"programs":7}`, "answers what no effiqueue of this version does"],
    ["nothing of the kind", "<html>", "no JSON to /api/status; is it effiqueue's metrics_addr?"],
    ["null", "null", "answers what no effiqueue of this version does"],
  ])("is an error and no crash before %s", async (_, answer, message) => {
    const { base } = await pretending(() => answer);
    await expect(new Feed({ base }).look()).rejects.toThrow(message);
  });

  it("is an error and no crash before a wrong exposition", async () => {
    const { base } = await pretending((path) =>
      path.startsWith("/metrics")
        ? "effiqueue_workers{"
        : path.startsWith("/api/status")
          ? statusOf(testBoard())
          : "{}",
    );
    await expect(new Feed({ base }).look()).rejects.toThrow("answers what no effiqueue of this version does");
  });
});
