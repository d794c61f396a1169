/** `effiqueue explain`: why a running daemon decided what it did. A client of its endpoint. DESIGN 7.9, 6.5. */
import { Command, InvalidArgumentError } from "commander";
import { ask, urlOf } from "../app/status-client.ts";
import { loadConfig } from "../config/load.ts";
import { readTokenFile } from "../config/token-file.ts";
import { parseAddress } from "../model/kinds.ts";
import { nearest } from "../model/nearest.ts";
import type { DecisionsReply, StatusReply } from "../report/api-types.ts";
import { explainDecisions } from "../report/explain.ts";
import { FailedError, UsageError } from "./errors.ts";
import { configOption, jsonOption, tokenFileOption } from "./options.ts";
import { printJson, printText } from "./output.ts";

const LIMIT = 5;

export function explainCommand(): Command {
  return new Command("explain")
    .argument("[program]", "its name in the configuration; default: every program")
    .addOption(configOption())
    .option(
      "--url <url>",
      "the daemon's endpoint, http://HOST:PORT; default: metrics_addr of the configuration",
      baseUrl,
    )
    .addOption(tokenFileOption())
    .option("--limit <n>", "so many decisions of each program", wholeNumber, LIMIT)
    .addOption(jsonOption())
    .action(explain);
}

interface Flags {
  readonly config?: string;
  readonly url?: string;
  readonly tokenFile?: string;
  readonly limit: number;
  readonly json?: true;
}

async function explain(
  program: string | undefined,
  { config: file, url, tokenFile, limit, json }: Flags,
): Promise<void> {
  if (url === undefined && file === undefined) {
    throw new UsageError("name the daemon: --config FILE, or --url http://HOST:PORT");
  }
  const shared = file === undefined ? undefined : loadConfig(file).shared;
  const base = url ?? urlOf(addressOf(file ?? "", shared?.metricsAddr));
  const tokenPath = tokenFile ?? shared?.metricsTokenFile;
  const token = tokenPath === undefined ? undefined : readTokenFile(tokenPath);
  const status = (await ask(base, "/api/status", token)) as StatusReply;
  const known = status.programs.map((each) => each.program);
  if (program !== undefined && !known.includes(program)) throw new FailedError(noProgram(program, known));
  const wanted = program === undefined ? "" : `&program=${encodeURIComponent(program)}`;
  const decided = (await ask(base, `/api/decisions?limit=${limit}${wanted}`, token)) as DecisionsReply;

  if (json === true) {
    printJson(decided);
    return;
  }
  const texts = decided.programs.flatMap(({ program: name, decisions }) => {
    const own = status.programs.find((each) => each.program === name);
    return own === undefined ? [] : [explainDecisions(own, decisions).trimEnd()];
  });
  printText(texts.join("\n\n"));
}

/** Where a daemon of this file listens, as far as the file tells. */
function addressOf(file: string, address: string | undefined): { readonly host: string; readonly port: number } {
  if (address === undefined) {
    throw new FailedError(
      `${file} has no metrics_addr, so its daemon cannot be asked: add metrics_addr = "127.0.0.1:9464" above the first [[program]], and restart it`,
    );
  }
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.port === 0) {
    throw new FailedError(
      `${file} has metrics_addr ${address}, any free port: take the one that the daemon's first line names, --url http://HOST:PORT`,
    );
  }
  return parsed;
}

function noProgram(program: string, known: readonly string[]): string {
  const meant = nearest(program, known);
  const hint =
    meant === undefined
      ? `it has ${known.map((name) => JSON.stringify(name)).join(", ")}`
      : `did you mean ${JSON.stringify(meant)}?`;
  return `the daemon has no program ${JSON.stringify(program)}, ${hint}`;
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new InvalidArgumentError("Expected a URL such as http://127.0.0.1:9464.");
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Expected a whole number of at least 1.");
  return Number(text);
}
