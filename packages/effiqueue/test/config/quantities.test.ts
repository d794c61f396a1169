import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../src/model/kinds.ts";
import { nearest } from "../../src/model/nearest.ts";
import { MAX_DURATION_SEC, parseDuration, parseSize } from "../../src/model/quantities.ts";

describe("DESIGN 5.1: durations", () => {
  it.each([
    ["250ms", 0.25],
    ["10s", 10],
    ["2m", 120],
    ["1h", 3600],
    ["1.5h", 5400],
    ["0.1s", 0.1],
    [" 10 s ", 10],
    ["10", 10],
    [10, 10],
    [0.5, 0.5],
    ["2147483s", MAX_DURATION_SEC],
    ["0ms", 0],
  ])("%j is %d seconds", (value, sec) => {
    expect(parseDuration(value)).toBe(sec);
  });

  it.each([
    "",
    "s",
    "10S",
    "1d",
    "1h30m",
    "-1s",
    "+1s",
    "1e3s",
    "0x10",
    "10 000s",
    ".5s",
    "5.s",
    "Infinity",
    "2147484s",
  ])("%j is none", (value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 2_147_484, true, null, undefined, {}, [], 10n, new Date(0)])(
    "%s is none",
    (value) => {
      expect(parseDuration(value)).toBeUndefined();
    },
  );

  it("never come out smaller than they were written, however large", () => {
    const units = { ms: 1n, s: 1000n, m: 60_000n, h: 3_600_000n };
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.constantFrom("ms", "s", "m", "h"), (count, unit) => {
        const sec = parseDuration(`${count}${unit}`);
        const ms = count * units[unit];
        if (ms > BigInt(MAX_DURATION_SEC) * 1000n) expect(sec).toBeUndefined();
        else expect(sec).toBe(Number(ms) / 1000);
      }),
    );
  });
});

describe("DESIGN 5.1: sizes", () => {
  it.each([
    ["512MB", 512 * 1024 ** 2],
    ["12GB", 12 * 1024 ** 3],
    ["1.5GiB", 1.5 * 1024 ** 3],
    ["1k", 1024],
    ["1KB", 1024],
    ["1 kib", 1024],
    ["2T", 2 * 1024 ** 4],
    ["1P", 1024 ** 5],
    ["7B", 7],
    ["7", 7],
    [7, 7],
    ["0.3k", 307],
    ["0", 0],
  ])("%j is %d bytes", (value, bytes) => {
    expect(parseSize(value)).toBe(bytes);
  });

  it.each(["", "GB", "1.5", "1.5B", "1iB", "1Gi", "-1GB", "1e3", "1 000", "1,5GB", "9PB", "16EB", "12 parsecs"])(
    "%j is none",
    (value) => {
      expect(parseSize(value)).toBeUndefined();
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, -1, 1.5, 2 ** 53, true, null, undefined, {}, []])(
    "%s is none",
    (value) => {
      expect(parseSize(value)).toBeUndefined();
    },
  );

  it("never wrap round to a plausible small one", () => {
    const powers = { "": 0n, K: 1n, M: 2n, G: 3n, T: 4n, P: 5n };
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 40n }),
        fc.constantFrom("", "K", "M", "G", "T", "P"),
        (count, prefix) => {
          const bytes = count * 1024n ** powers[prefix];
          const expected = bytes > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(bytes);
          expect(parseSize(`${count}${prefix}B`)).toBe(expected);
        },
      ),
    );
  });
});

describe("DESIGN 5.2: addresses", () => {
  it.each([
    ["127.0.0.1:9464", { host: "127.0.0.1", port: 9464 }],
    ["[::1]:9", { host: "::1", port: 9 }],
    [":0", { host: "", port: 0 }],
    ["db.local:65535", { host: "db.local", port: 65_535 }],
  ])("%s", (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it.each(["", "9464", "h:", "h:65536", "::1:9", "[h]:9", "h h:9", "http://h:9", "h:-1", "h:123456"])(
    "%j is none",
    (text) => {
      expect(parseAddress(text)).toBeUndefined();
    },
  );
});

describe("DESIGN 5.1: the nearest known name", () => {
  const known = ["max_workers", "min_workers", "mode", "max_step"];

  it.each([
    ["max_worker", "max_workers"],
    ["mxa_workers", "max_workers"],
    ["MIN_WORKERS", "min_workers"],
    ["min", "min_workers"],
    ["moed", "mode"],
  ])("of %s is %s", (given, meant) => {
    expect(nearest(given, known)).toBe(meant);
  });

  it.each(["zebra", "x", "m", "", "workers_at_most"])("of %j is none", (given) => {
    expect(nearest(given, known)).toBeUndefined();
  });
});
