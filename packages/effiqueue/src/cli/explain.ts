/** `effiqueue explain`: why a running daemon decided what it did. A client of its endpoint. DESIGN 7.9, 6.5. */
import { Command, InvalidArgumentError } from "commander";
import { chosen } from "../app/no-program.ts";
import { ask } from "../app/status-client.ts";
import { explainDecisions } from "../report/explain.ts";
import { type EndpointFlags, endpointOf, withEndpoint } from "./endpoint.ts";
import { jsonOption } from "./options.ts";
import { printJson, printText } from "./output.ts";

const LIMIT = 5;

export function explainCommand(): Command {
  const command = new Command("explain").argument("[program]", "its name in the configuration; default: every program");
  return withEndpoint(command)
    .option("--limit <n>", "so many decisions of each program", wholeNumber, LIMIT)
    .addOption(jsonOption())
    .action(explain);
}

interface Flags extends EndpointFlags {
  readonly limit: number;
  readonly json?: true;
}

async function explain(program: string | undefined, { limit, json, ...flags }: Flags): Promise<void> {
  const endpoint = await endpointOf(flags);
  const status = await ask(endpoint, "/api/status");
  const programs = chosen(status.programs, program);
  const wanted = program === undefined ? "" : `&program=${encodeURIComponent(program)}`;
  const decided = await ask(endpoint, "/api/decisions", `?limit=${limit}${wanted}`);

  if (json === true) {
    printJson(decided);
    return;
  }
  const texts = decided.programs.flatMap(({ program: name, decisions }) => {
    const own = programs.find((each) => each.program === name);
    return own === undefined ? [] : [explainDecisions(own, decisions).trimEnd()];
  });
  printText(texts.join("\n\n"));
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError("Expected a whole number of at least 1.");
  return Number(text);
}
