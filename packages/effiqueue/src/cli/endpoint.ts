/** Which daemon a command asks: by its state folder, its address, or the configuration that names either. DESIGN 7.9, 7.12. */
import { type Command, InvalidArgumentError } from "commander";
import { NoDaemonError } from "../app/control/find.ts";
import { type Endpoint, urlOf } from "../app/status-client.ts";
import { loadConfig } from "../config/load.ts";
import { readTokenFile } from "../config/token-file.ts";
import { parseAddress } from "../model/kinds.ts";
import { daemonOf } from "./daemon.ts";
import { FailedError, UsageError } from "./errors.ts";
import { configOption, stateDirOption, tokenFileOption } from "./options.ts";

export interface EndpointFlags {
  readonly config?: string;
  readonly stateDir?: string;
  readonly url?: string;
  readonly tokenFile?: string;
}

/** Adds the flags that name a daemon. */
export const withEndpoint = (command: Command): Command =>
  command
    .addOption(configOption())
    .addOption(stateDirOption())
    .option(
      "--url <url>",
      "the endpoint of a daemon elsewhere, http://HOST:PORT; default: metrics_addr of the configuration",
      baseUrl,
    )
    .addOption(tokenFileOption());

/**
 * The control socket of a daemon on this machine, where there is one for this user: it needs no address and no token. Else the address.
 *
 * @throws UsageError, FailedError, ConfigError
 */
export async function endpointOf(flags: EndpointFlags): Promise<Endpoint> {
  const { config: file, url, tokenFile } = flags;
  if (url === undefined && tokenFile === undefined) {
    const here = await daemonHere(flags);
    if (here !== undefined) return here;
  }
  if (url === undefined && file === undefined) {
    throw new UsageError("name the daemon: --config FILE, or --url http://HOST:PORT");
  }
  const shared = file === undefined ? undefined : loadConfig(file, { secrets: false }).shared;
  const tokenPath = tokenFile ?? shared?.metricsTokenFile;
  return {
    base: url ?? urlOf(addressOf(file ?? "", shared?.metricsAddr)),
    token: tokenPath === undefined ? undefined : readTokenFile(tokenPath),
  };
}

async function daemonHere(flags: EndpointFlags): Promise<Endpoint | undefined> {
  try {
    return (await daemonOf(flags)).endpoint;
  } catch (error) {
    if (error instanceof NoDaemonError) return undefined;
    throw error;
  }
}

/** Where a daemon of this file listens, as far as the file tells. */
function addressOf(file: string, address: string | undefined): { readonly host: string; readonly port: number } {
  if (address === undefined) {
    throw new FailedError(
      `${file} has no metrics_addr, and no daemon that runs it was found on this machine by its state folder (--state-dir): start one, or add metrics_addr = "127.0.0.1:9464" above the first [[program]]`,
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

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new InvalidArgumentError("Expected a URL such as http://127.0.0.1:9464.");
}
