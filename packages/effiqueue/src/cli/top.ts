/** `effiqueue top`: a running daemon on a terminal, or one look at it where there is none. A client of its endpoint. DESIGN 6.8. */
import { Command } from "commander";
import { watchLive } from "../app/top/live.ts";
import { snapshotJson, snapshotText } from "../app/top/snapshot.ts";
import { styleOf } from "../report/top/terminal.ts";
import { type EndpointFlags, endpointOf, withEndpoint } from "./endpoint.ts";
import { jsonOption } from "./options.ts";
import { printAsIs, printJson } from "./output.ts";

/** Of what is printed where there is no terminal to fill. */
const COLUMNS = 100;

export function topCommand(): Command {
  const command = new Command("top").argument("[program]", "the one to begin with; printed once: that one alone");
  return withEndpoint(command)
    .option("--once", "print one look and end; so it does when the output is no terminal")
    .addOption(jsonOption())
    .action(top);
}

interface Flags extends EndpointFlags {
  readonly once?: true;
  readonly json?: true;
}

async function top(program: string | undefined, { once, json, ...flags }: Flags): Promise<void> {
  const endpoint = await endpointOf(flags);
  const { stdout, env } = process;
  if (json === true) printJson(await snapshotJson(endpoint, program));
  else if (once === true || !stdout.isTTY || env["TERM"] === "dumb") {
    printAsIs(await snapshotText(endpoint, program, stdout.columns || COLUMNS, styleOf(stdout, env)));
  } else process.exitCode = await watchLive(endpoint, program);
}
