/**
 * Debian's Chromium without a window, one for each file of tests. Put what needs it into `describeBrowser(...)`, which is skipped,
 * visibly, where it is not installed.
 */
import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished } from "vitest";

const CHROMIUM = "/usr/bin/chromium";

/** What a test is given to open pages with. */
export interface Pages {
  /** Everything that the console says, and everything that is asked of anybody but the server of the page, is kept. */
  readonly open: (url: string, options?: BrowserContextOptions) => Promise<Visit>;
}

interface Visit {
  readonly page: Page;
  /** Errors and warnings of the console, and exceptions. */
  readonly complaints: readonly string[];
  /** URLs of other servers. */
  readonly strangers: readonly string[];
}

export function describeBrowser(title: string, tests: (pages: Pages) => void): void {
  if (!existsSync(CHROMIUM)) {
    describe.skip(`${title} (skipped: chromium is not installed)`, () =>
      tests({ open: () => Promise.reject(new Error()) }));
    return;
  }
  describe(title, () => {
    let browser: Browser;
    beforeAll(async () => {
      // Its sandbox wants what root in a container does not have; the pages are ours.
      browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
    });
    afterAll(() => browser.close());
    tests({ open: (url, options) => visit(browser, url, options) });
  });
}

async function visit(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
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
