import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkOptions } from "../../src/model/check.ts";
import { KEY_NAMES, KEYS, type Key, optionName } from "../../src/model/keys.ts";
import { load, loadConf, warningsOf } from "./files.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const SOURCES = fileURLToPath(new URL("../../src/", import.meta.url));

/** Reading that bundle costs every start of Node 20 more than the script does. */
const env = { ...process.env, NODE_EXTRA_CA_CERTS: undefined };

describe("DESIGN 5.2: the table of keys", () => {
  it("has defaults that are values of their own kind", () => {
    for (const name of KEY_NAMES) {
      const key: Key = KEYS[name];
      if (key.default !== undefined) expect(key.kind.read(key.default), name).toBeDefined();
    }
  });

  it("says of every key what holds without it", () => {
    for (const name of KEY_NAMES) {
      const { default: value, absent, required }: Key = KEYS[name];
      expect(
        [value, absent, required].filter((each) => each !== undefined),
        name,
      ).toHaveLength(1);
    }
  });

  it("has no key that nothing reads", () => {
    const declaring = /^(model\/keys|config\/supervisor-keys)\.ts$/;
    const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const readers = files
      .filter((file) => !declaring.test(file))
      .map((file) => readFileSync(join(SOURCES, file), "utf8"));
    const words = new Set(readers.flatMap((text) => text.match(/\w+/g) ?? []));
    expect(KEY_NAMES.filter((name) => !words.has(name) && !words.has(optionName(name)))).toEqual([]);
  });

  it("names options in camelCase, no two alike", () => {
    expect(optionName("slo_drain_time")).toBe("sloDrainTime");
    expect(optionName("mode")).toBe("mode");
    expect(new Set(KEY_NAMES.map(optionName)).size).toBe(KEY_NAMES.length);
  });

  it("checks options of a program as it checks those of a file", () => {
    const options = { max_workers: 0, min_workers: 1, ram_budget: "1GB", ram_headroom: 1, tls_key: "k", shell: null };
    expect(checkOptions(options, { needs: ["max_workers"] })).toEqual({
      kind: "wrong",
      problems: [
        { key: "shell", code: "invalid", expected: "true or false" },
        { key: "max_workers", code: "invalid", expected: "a whole number >= 1" },
        { key: "ram_headroom", code: "conflict", expected: "only one of ramBudget and ramHeadroom" },
        {
          key: "slo_drain_time",
          code: "missing",
          expected: expect.stringContaining('in mode "slo" a duration') as string,
        },
        { key: "tls_cert", code: "missing", expected: "beside tlsKey a path" },
      ],
    });
    expect(checkOptions({ max_workers: 2, slo_drain_time: 60 }, { needs: ["max_workers"] })).toMatchObject({
      kind: "ok",
      options: { maxWorkers: 2, sloDrainTime: 60, ramHeadroom: 2 * 1024 ** 3, command: undefined },
    });
  });
});

describe("DESIGN 5.2: the reference", () => {
  it("is what the table says", () => {
    const check = () => execFileSync(process.execPath, ["scripts/generate-config.mjs", "--check"], { cwd: ROOT, env });
    expect(check).not.toThrow();
  });

  const reference = readFileSync(`${ROOT}docs/config.md`, "utf8");
  const examples = [...reference.matchAll(/```(toml|ini)\n(.*?)```/gs)].map(([, format = "", text = ""]) => ({
    format,
    text,
  }));
  const options = { env: { RABBITMQ_PASSWORD: "secret" } };

  it("holds four examples", () => {
    expect(examples.map(({ format }) => format)).toEqual(["toml", "toml", "toml", "ini"]);
  });

  it.each(examples)("holds an example of $format that works as it stands", ({ format, text }) => {
    const config = format === "toml" ? load(text, options) : loadConf(text, options);
    expect(warningsOf(config)).toEqual([]);
    expect(config.secrets).toContain("secret");
  });
});
