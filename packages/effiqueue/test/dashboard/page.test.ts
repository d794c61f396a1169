/** The page as it was built, in a browser, on a board of the test. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openPage } from "../../src/report/dashboard/page.ts";
import { type ServeOptions, type StatusServer, serveStatus } from "../../src/report/http/server.ts";
import { openMetrics } from "../../src/report/metrics/metrics.ts";
import { openSocket, type Running, serving } from "../report/endpoint.ts";
import { decided, MAIL, ORDERS, RECORD, type TestBoard, testBoard, UNREAD } from "../report/records.ts";
import { describeBrowser, fieldOf, type Visit } from "../support/browser.ts";
import { until } from "../support/until.ts";

const BUILT = openPage(new URL("../../dist/dashboard/", import.meta.url));
/** Functions that run in the browser. */
const IN_PAGE = readFileSync(new URL("../fixtures/in-page.js", import.meta.url), "utf8");
const TOKEN = "0123456789abcdef0123456789abcdef";
const PHONE = { viewport: { width: 360, height: 740 } };

/** A board with a past: a pool that grew into its limit, one every ten seconds. */
function grown(): TestBoard {
  const onBoard = testBoard([ORDERS, MAIL]);
  for (let current = 4; current < 24; current += 1) {
    onBoard.board.ticked(
      decided({ current, desired: current + 1 }, { counts: { starting: 1, serving: current, draining: 0 } }),
    );
    onBoard.clock.advance(10_000);
  }
  onBoard.board.ticked(RECORD);
  onBoard.board.ticked({
    ...RECORD,
    program: "mail",
    decision: { ...RECORD.decision, reason: "steady", needed: null, gap: null },
  });
  return onBoard;
}

async function serve(
  options: Partial<Omit<ServeOptions, "board">> & { board?: TestBoard } = {},
): Promise<Running & { url: string }> {
  const running = await serving({ board: grown(), page: BUILT, ...options });
  return { ...running, url: `http://${running.server.address}/` };
}

const seen = (page: Page, text: string | RegExp): Promise<void> => page.getByText(text).first().waitFor();

describeBrowser("DESIGN 6.7: what the dashboard shows", ({ open }) => {
  it("follows the daemon: a tick, a queue that cannot be read, a pool that was lost", async () => {
    const { url, board } = await serve();
    const { page } = await open(url);
    await seen(page, "54 workers are missing");
    board.ticked(
      decided(
        { gap: null, needed: 10, desired: 24 },
        { observation: { ...RECORD.observation, queue: { ready: 7, unacked: 3 } } },
      ),
    );
    await until(async () => (await fieldOf(page, "backlog")) === "10");
    board.ticked(UNREAD);
    await seen(page, "The queue cannot be read, so the pool is held.");
    expect(await fieldOf(page, "backlog")).toBe("");
    board.emit("act.pool.lock_lost", { program: "orders", owner_pid: 1, adopted: true });
    await seen(page, "Another process runs this pool now.");
  });

  it("leaves out what a program without a promise does not have", async () => {
    const { board } = testBoard([{ ...ORDERS, mode: "hpa", sloSec: null, sloGoal: null, maxWorkers: 9 }]);
    const decision = { needed: null, capacity: Number.NaN, gap: null, mu: null, lambda: null, reason: "idle" } as const;
    const observation = { ...RECORD.observation, memory: null, queue: { ready: 2, unacked: 1 } };
    board.ticked(decided(decision, { observation, budgetBytes: null }));
    const { url } = await serve({ board: { ...testBoard(), board } });
    const { page } = await open(url);
    await seen(page, "24 workers run, 2 messages wait.");
    await page.locator("#decisions li").first().waitFor();
    expect(await page.locator(".chart:visible h3").allTextContents()).toEqual(["Workers ", "Backlog messages"]);
    expect(await page.locator(".tile dt").allTextContents()).toEqual(["Backlogmessages"]);
    expect(await fieldOf(page, "capacity")).toBe("9");
    expect(await page.locator('[data-field="needed"]').count()).toBe(0);
  });

  it("names no command of the daemon where another program runs the engine (DESIGN 6.10)", async () => {
    const { board } = testBoard([{ ...ORDERS, settings: { max_workers: "--max-workers" } }]);
    board.ticked(UNREAD);
    const { url } = await serve({ board: { ...testBoard(), board } });
    const { page } = await open(url);
    await seen(page, "Nothing has to be restarted.");
    expect(await page.locator("main").textContent()).not.toContain("effiqueue ");
  });

  it("keeps the chosen program in the address, and the hour over a reload", async () => {
    const { url } = await serve();
    const { page } = await open(url);
    await page.getByRole("link", { name: /mail/ }).click();
    await until(async () => (await page.title()).includes("mail"));
    await page.reload();
    await until(async () => (await page.title()).includes("mail"));
    expect(await page.getByRole("link", { name: /mail/ }).getAttribute("aria-current")).toBe("page");
    await page.getByRole("link", { name: /orders/ }).click();
    const moments = page.getByRole("slider", { name: /Workers/ });
    await until(async () => (await moments.getAttribute("aria-valuemax")) === "20");
    await page.reload();
    await until(async () => (await moments.getAttribute("aria-valuemax")) === "20");
  });

  it("says that the daemon is gone, and goes on by itself when there is one again", async () => {
    const running = await serve();
    const { page } = await open(running.url);
    await seen(page, "Live");
    await running.server.close();
    await seen(page, "No answer from the daemon; trying again");
    await serve({ address: running.server.address });
    await page.getByText("Live", { exact: true }).waitFor();
  });

  it("polls where there are too many followers, and says so", async () => {
    const running = await serve();
    const followers = await Promise.all(Array.from({ length: 20 }, () => openSocket(running.port)));
    for (const socket of followers) {
      socket.resume();
      socket.write("GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    }
    await until(async () => (await running.get("/api/events", "GET")).status === 503);
    const { page } = await open(running.url);
    await seen(page, "Live, every few seconds");
    await seen(page, "54 workers are missing");
  });

  it("takes names for text, whatever is in them", async () => {
    const name = `<img src=x onerror="alert(1)">\u202e"'&`;
    const { board } = testBoard([{ ...ORDERS, name }]);
    board.ticked({ ...RECORD, program: name });
    const { url } = await serve({ board: { ...testBoard(), board } });
    const { page, complaints } = await open(url);
    await seen(page, "54 workers are missing");
    expect(await page.locator("#program-name").textContent()).toContain('<img src=x onerror="alert(1)">');
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("asks for the token, says when it is wrong, and keeps it for the tab only", async () => {
    const { url } = await serve({ token: TOKEN });
    const { page } = await open(url);
    const input = page.getByLabel("Token");
    await input.fill("not-the-token-at-all");
    await page.keyboard.press("Enter");
    await seen(page, "The daemon does not accept this token.");
    expect(await page.getByText("orders").count()).toBe(0);
    await input.fill(` ${TOKEN}\n`);
    await page.getByRole("button", { name: "Show the pool" }).click();
    await seen(page, "54 workers are missing");
    expect(page.url()).toBe(url);
    await page.reload();
    await seen(page, "54 workers are missing");
    const other = await open(url);
    await other.page.getByLabel("Token").waitFor();
  });

  it("fits a phone of 360 pixels, and every text has the contrast of AA on either ground", async () => {
    const { url } = await serve();
    for (const path of ["/", "/#program=mail"]) {
      const { page } = await open(new URL(path, url).href, PHONE);
      await page.locator("#decisions li").first().waitFor();
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await page.evaluate(`${IN_PAGE}; faintTexts()`), `${colorScheme} ${path}`).toEqual([]);
      }
    }
  });
});

describeBrowser("DESIGN 6.7: one page of the dashboard", ({ openForAll }) => {
  let server: StatusServer;
  let visit: Visit;
  const { board } = grown();
  beforeAll(async () => {
    const metrics = openMetrics(board);
    server = await serveStatus({ board, metrics, address: "127.0.0.1:0", isReady: () => true, page: BUILT });
    visit = await openForAll(`http://${server.address}/`);
  });
  afterAll(() => server.close());

  /** As if it had just been opened. */
  const again = async (): Promise<Visit> => {
    await visit.page.reload();
    await visit.page.locator("#decisions li").first().waitFor();
    return visit;
  };

  it("says the gap in plain words first, and what would close it", async () => {
    const { page, complaints, strangers } = await again();
    await seen(page, "This machine is too small: 54 workers are missing.");
    await seen(page, /78 workers are needed, 24 fit \(ram\): 54 are missing, which is 27 GiB\./);
    await seen(page, /To close it: add memory/);
    expect(await page.title()).toBe("54 missing · orders · effiQueue");
    expect({ complaints, strangers }).toEqual({ complaints: [], strangers: [] });
  });

  it("shows each figure as the status has it", async () => {
    const { page } = await again();
    const [status] = board.status().programs;
    const expected = {
      needed: status?.decision?.neededWorkers,
      asked: status?.decision?.desiredWorkers,
      running: status?.workers?.current,
      capacity: status?.decision?.capacityWorkers,
      backlog: status?.queue?.backlog,
      lambda: status?.decision?.lambdaPerSec,
      mu: status?.decision?.muPerSec,
      "pool-memory": status?.memory?.poolBytes,
      "machine-memory": status?.memory?.usedBytes,
      drain: "Infinity",
    };
    for (const [field, value] of Object.entries(expected))
      expect(await fieldOf(page, field), field).toBe(String(value));
  });

  it("reads charts by key: each moment has its values in words, and a decision", async () => {
    const { page } = await again();
    const workers = page.getByRole("slider", { name: /Workers/ });
    await until(async () => (await workers.getAttribute("aria-valuenow")) === "20");
    expect(await workers.getAttribute("aria-valuetext")).toBe("now: needed 78, fit 24, running 24");
    await workers.focus();
    await page.keyboard.press("Home");
    expect(await workers.getAttribute("aria-valuetext")).toMatch(/^\d\d:\d\d:\d\d: needed 78, fit 24, running 5$/);
    expect(await page.locator(".chart .when").allTextContents()).toHaveLength(4);
    expect(new Set(await page.locator(".chart .when").allTextContents()).size).toBe(1);
    await page.keyboard.press("ArrowRight");
    expect(await workers.getAttribute("aria-valuenow")).toBe("1");
    await page.keyboard.press("Escape");
    expect(await workers.getAttribute("aria-valuetext")).toMatch(/^now/);
  });

  it("has each chart as a table", async () => {
    const { page } = await again();
    await page.getByText("As a table").first().click();
    const table = page.getByRole("table", { name: /Workers/ });
    await until(async () => (await table.getByRole("row").count()) === 22);
    expect(await table.getByRole("row").nth(1).textContent()).toMatch(/^\d\d:\d\d:\d\d782424$/);
  });

  it("tells the whole story of a decision on hover, on focus, and for good on a click", async () => {
    const { page } = await again();
    const first = page.locator("#decisions li").first();
    const story = first.locator(".story");
    const button = first.getByRole("button");
    await first.waitFor();
    expect(await story.isVisible()).toBe(false);
    await first.hover();
    expect(await story.isVisible()).toBe(true);
    expect(await story.textContent()).toMatch(/First counted .*To close the gap: .*Figures: /);
    await page.mouse.move(0, 0);
    expect(await story.isVisible()).toBe(false);
    await page.locator("#decisions li").nth(1).getByRole("button").focus();
    await page.keyboard.press("Shift+Tab");
    expect(await story.isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await story.isVisible()).toBe(false);
    await button.click();
    await page.mouse.move(0, 0);
    await page.keyboard.press("Tab");
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    expect(await story.isVisible()).toBe(true);
  });

  it("is walked by the keyboard from the first link on, and every stop has a name", async () => {
    const { page } = await again();
    const stops: string[] = [];
    for (let i = 0; i < 14; i += 1) {
      await page.keyboard.press("Tab");
      stops.push(await page.evaluate<string>(`${IN_PAGE}; nameOfFocused()`));
    }
    expect(stops[0]).toBe("A Skip to the pool");
    expect(stops.slice(1, 3)).toEqual([expect.stringMatching(/^A orders/), expect.stringMatching(/^A mail/)]);
    expect(stops.filter((stop) => stop.startsWith("DIV"))).toHaveLength(4);
    expect(stops.filter((stop) => /^\w+ *$/.test(stop))).toEqual([]);
  });

  it("has one heading of the page, landmarks, and a name for everything that has a role", async () => {
    const { page } = await again();
    for (const role of ["banner", "main", "navigation", "contentinfo"] as const) {
      expect(await page.getByRole(role).count(), role).toBe(1);
    }
    expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
    expect(await page.locator("section:not([aria-labelledby]), [role=region]:not([aria-label])").count()).toBe(0);
    expect(await page.evaluate("document.documentElement.lang")).toBe("en");
  });
});
