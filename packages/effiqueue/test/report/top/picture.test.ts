import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TickRecord } from "../../../src/model/tick-record.ts";
import { widthOf } from "../../../src/report/top/cells.ts";
import { acted, type Moment, newSession, type Session, screen } from "../../../src/report/top/session.ts";
import { decided, MAIL, ORDERS, RECORD, testBoard, UNREAD } from "../records.ts";
import { seenAfter } from "./moments.ts";

const PLAIN = { colour: false, unicode: true };
const ASCII = { colour: false, unicode: false };
const COLOURS = { colour: true, unicode: true };

const golden = (name: string): string => fileURLToPath(new URL(`../golden/top/${name}`, import.meta.url));

/** A quiet start, a flood, and the gap of the worked example; beside it a program whose queue cannot be read. */
async function flooded(): Promise<Moment> {
  const queue = (ready: number): TickRecord["observation"] => ({
    ...RECORD.observation,
    queue: { ready, unacked: 100, ackRate: 184, publishRate: 200 },
  });
  const calm = decided({ current: 3, desired: 3, action: "hold", reason: "slo", needed: 3, gap: null, lambda: 20 });
  const ticks: TickRecord[] = [
    { ...calm, observation: queue(150), counts: { starting: 0, serving: 3, draining: 0 } },
    { ...calm, observation: queue(300), counts: { starting: 0, serving: 3, draining: 0 } },
    { ...RECORD, observation: queue(20_000) },
    { ...UNREAD, program: "mail" },
    RECORD,
  ];
  return seenAfter(testBoard([ORDERS, MAIL]), ticks);
}

const shown = (moment: Moment, columns: number, rows: number, style = PLAIN, session?: Session): string =>
  screen(session ?? newSession("orders"), moment, { columns, rows }, style).join("\n");

describe("DESIGN 6.8: the screen", () => {
  it.each([
    ["80x24", 80, 24, PLAIN],
    ["120x40", 120, 40, PLAIN],
    ["50x16", 50, 16, PLAIN],
    ["30x8", 30, 8, PLAIN],
    ["20x5", 20, 5, PLAIN],
    ["80x24-ascii", 80, 24, ASCII],
    ["80x24-colours", 80, 24, COLOURS],
  ] as const)("looks as it should at %s", async (name, columns, rows, style) => {
    await expect(`${shown(await flooded(), columns, rows, style)}\n`).toMatchFileSnapshot(golden(`${name}.txt`));
  });

  it("is in the guide for operators as it is", async () => {
    const guide = readFileSync(new URL("../../../../../docs/operating.md", import.meta.url), "utf8");
    expect(guide).toContain(shown(await flooded(), 80, 24));
  });

  it("looks as it should for a program without an SLO whose queue cannot be read", async () => {
    const text = shown(await flooded(), 80, 24, PLAIN, newSession("mail"));
    await expect(`${text}\n`).toMatchFileSnapshot(golden("unreadable.txt"));
  });

  it("has the gap and the count of workers in the smallest corner", async () => {
    const text = shown(await flooded(), 20, 5);
    expect(text).toContain("GAP 54 missing");
    expect(text).toContain("24 workers");
  });

  it("draws all workers on one scale, and what is there never as nothing", async () => {
    const lines = shown(await flooded(), 80, 24).split("\n");
    const marks = (label: string): number =>
      lines.find((line) => line.startsWith(` ${label}`))?.match(/[█▉▊▋▌▍▎▏▒░]/g)?.length ?? 0;
    expect(marks("needed")).toBe(35);
    expect(marks("capacity")).toBe(Math.round((35 * 24) / 78));
    expect(marks("starting")).toBe(1);
  });

  it("says the same without colours, down to the gap", async () => {
    const moment = await flooded();
    const bare = shown(moment, 80, 24, COLOURS).replaceAll(/\x1b\[[\d;]*m/g, "");
    const trimmed = bare.split("\n").map((line) => line.trimEnd());
    expect(trimmed.join("\n")).toBe(shown(moment, 80, 24));
    expect(shown(moment, 80, 24)).not.toContain("\x1b");
  });

  it("stays within its lines and columns and commands nothing, whatever programs and brokers say", async () => {
    const hostile = fc.string({ unit: "binary", maxLength: 60 }).map((text) => `\u202e\x1b[2J${text}\r\n发\u200b`);
    const size = fc.record({ columns: fc.integer({ min: 20, max: 140 }), rows: fc.integer({ min: 5, max: 50 }) });
    await fc.assert(
      fc.asyncProperty(hostile, size, fc.boolean(), async (name, { columns, rows }, unicode) => {
        const unread = { ...UNREAD, program: name, unreadable: { code: "unreachable", message: name } };
        const moment = await seenAfter(testBoard([{ ...ORDERS, name }, MAIL]), [{ ...RECORD, program: name }, unread]);
        const trouble = { message: name, forSec: 3 };
        const lines = screen(newSession(name), { ...moment, trouble }, { columns, rows }, { colour: false, unicode });
        expect(lines.length).toBeLessThanOrEqual(rows);
        for (const line of lines) {
          expect(widthOf(line)).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("DESIGN 6.8: what the keys do to the screen", () => {
  it("go from program to program, around the ends, and to one by its number", async () => {
    const moment = await flooded();
    const first = newSession(undefined);
    const second = acted(first, "next", moment);
    expect(second.chosen).toBe("mail");
    expect(acted(second, "next", moment).chosen).toBe("orders");
    expect(acted(first, "previous", moment).chosen).toBe("mail");
    expect(acted(first, { program: 2 }, moment).chosen).toBe("mail");
    expect(acted(second, { program: 9 }, moment).chosen).toBe("mail");
    expect(shown(moment, 80, 24, PLAIN, second)).toMatch(/^ mail /);
  });

  it("pause the display at a moment in which one can go on looking around", async () => {
    const before = await flooded();
    const paused = acted(newSession("orders"), "pause", before);
    const later = { ...before, now: "2026-11-30T03:00:00.000Z", views: [] };
    expect(shown(later, 80, 24, PLAIN, paused)).toContain("Paused at");
    expect(shown(later, 80, 24, PLAIN, paused)).toContain("78 workers are needed");
    expect(shown(later, 80, 24, PLAIN, acted(paused, "next", later))).toMatch(/^ mail /);
    expect(acted(paused, "pause", later).paused).toBeNull();
  });

  it("show what they do, and go back", async () => {
    const moment = await flooded();
    const helped = acted(newSession("orders"), "help", moment);
    await expect(`${shown(moment, 80, 24, PLAIN, helped)}\n`).toMatchFileSnapshot(golden("help.txt"));
    expect(acted(helped, "help", moment).help).toBe(false);
    expect(acted(helped, "next", moment).help).toBe(false);
  });

  it("do no harm before a daemon has answered", () => {
    const nothing: Moment = {
      origin: "127.0.0.1:9464",
      now: null,
      views: [],
      history: new Map(),
      trouble: null,
      restartedAt: null,
    };
    for (const action of ["next", "previous", "pause", "help", { program: 1 }] as const) {
      expect(screen(acted(newSession("x"), action, nothing), nothing, { columns: 80, rows: 24 }, PLAIN)).not.toEqual(
        [],
      );
    }
    expect(shown(nothing, 80, 24)).toBe(" Asking 127.0.0.1:9464");
    expect(shown({ ...nothing, trouble: { message: "nobody listens there", forSec: 12 } }, 80, 24)).toBe(
      " No answer for 12 s, still asking. nobody listens there",
    );
  });
});
