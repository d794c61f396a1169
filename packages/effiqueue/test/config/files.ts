/** Configuration files in a folder of their own, and what loading them says. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { ConfigError, findingText } from "../../src/config/errors.ts";
import { type LoadOptions, loadConfig } from "../../src/config/load.ts";
import type { Config, Program } from "../../src/config/validate.ts";

const folder = mkdtempSync(join(tmpdir(), "effiqueue-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As `%(here)s` says it. */
export const here = folder;

export const NO_ENV: LoadOptions = { env: {} };

/** The path of a new file; its name decides the format. */
export function fileOf(content: string | Uint8Array, name = "effiqueue.toml"): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

export const load = (content: string, options = NO_ENV, name?: string): Config =>
  loadConfig(fileOf(content, name), options);

export const loadConf = (content: string, options = NO_ENV): Config => load(content, options, "supervisor.conf");

export function only({ programs }: Config): Program {
  const [program, ...others] = programs;
  expect(others).toEqual([]);
  if (program === undefined) throw new Error("no program");
  return program;
}

/** What is wrong, each as a person reads it, without the folder; empty when nothing is. */
export function problemsOf(how: () => unknown): string[] {
  try {
    how();
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(error.message).toBe(error.problems.map(findingText).join("\n"));
    return error.problems.map(said);
  }
}

export const warningsOf = ({ warnings }: Config): string[] => warnings.map(said);

const said = (finding: Parameters<typeof findingText>[0]): string => findingText(finding).replace(`${folder}/`, "");
