/**
 * Debian's Chromium without a window, one for each file of tests. Put what needs it into `describeBrowser(...)`, which is skipped,
 * visibly, where it is not installed.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";

const CHROMIUM = "/usr/bin/chromium";

/** What the daemon serves; without it every page would be waited for in vain. */
const PAGE = new URL("../../dist/dashboard/index.html", import.meta.url);

/** What a test is given to open pages with. */
export interface Pages {
  /** Everything that the console says, and everything that is asked of anybody but the server of the page, is kept. */
  readonly open: (url: string, options?: BrowserContextOptions) => Promise<Visit>;
  /** One that stays open for all tests that only look: a page costs seconds on a busy machine. */
  readonly openForAll: (url: string) => Promise<Visit>;
}

export interface Visit {
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions. */
  readonly complaints: readonly string[];
  /** URLs of other servers. */
  readonly strangers: readonly string[];
}

export function describeBrowser(title: string, tests: (pages: Pages) => void): void {
  if (!existsSync(CHROMIUM)) {
    const open = () => Promise.reject(new Error("no browser"));
    describe.skip(`${title} (skipped: chromium is not installed)`, () => tests({ open, openForAll: open }));
    return;
  }
  if (!existsSync(PAGE)) throw new Error("the dashboard is not built: npm run build");
  describe(title, () => {
    let browser: Browser;
    let context: BrowserContext;
    beforeAll(async () => {
      // Its sandbox wants what root in a container does not have; the pages are ours.
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
      context = await browser.newContext();
    });
    afterAll(() => browser.close());
    tests({
      open: async (url, options) => {
        // One of its own only where it has to be: each begins with an empty cache.
        const place = options === undefined ? context : await browser.newContext(options);
        const page = await place.newPage();
        onTestFinished(() => (options === undefined ? page.close() : place.close()));
        return visit(page, url);
      },
      openForAll: async (url) => visit(await context.newPage(), url),
    });
  });
}

async function visit(page: Page, url: string): Promise<Visit> {
  const complaints: string[] = [];
  const strangers: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) strangers.push(request.url());
  });
  await page.goto(url);
  return { page, complaints, strangers };
}

/** Of `<data data-field="...">`, as a number or a word. */
export async function fieldOf(page: Page, field: string): Promise<string | null> {
  const value = await page.locator(`[data-field="${field}"]`).getAttribute("value");
  expect(value, field).not.toBe(null);
  return value;
}
