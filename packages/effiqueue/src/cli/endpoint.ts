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
 * @throws NoDaemonError, UsageError, FailedError, ConfigError
 */
export async function endpointOf(flags: EndpointFlags): Promise<Endpoint> {
  if (flags.url !== undefined || flags.tokenFile !== undefined) return atAddress(flags);
  try {
    return (await daemonOf(flags)).endpoint;
  } catch (error) {
    if (!(error instanceof NoDaemonError)) throw error;
    if (flags.config !== undefined) return atAddress(flags, `; ${error.message}`);
    throw new NoDaemonError(`${error.message}; or give its address: --url http://HOST:PORT`, { cause: error.cause });
  }
}

/** @param besides what else is to be said where there is no address: why there is no socket either */
function atAddress({ config: file, url, tokenFile }: EndpointFlags, besides = ""): Endpoint {
  if (url === undefined && file === undefined) {
    throw new UsageError("name the daemon: --config FILE, or --url http://HOST:PORT");
  }
  const shared = file === undefined ? undefined : loadConfig(file, { secrets: false }).shared;
  const tokenPath = tokenFile ?? shared?.metricsTokenFile;
  return {
    base: url ?? urlOf(addressOf(file ?? "", shared?.metricsAddr, besides)),
    token: tokenPath === undefined ? undefined : readTokenFile(tokenPath),
  };
}

/** Where a daemon of this file listens, as far as the file tells. */
function addressOf(file: string, address: string | undefined, besides: string): { host: string; port: number } {
  if (address === undefined) {
    throw new FailedError(
      `${file} has no metrics_addr (such as metrics_addr = "127.0.0.1:9464" above the first [[program]])${besides}`,
    );
  }
  const parsed = parseAddress(address);
  if (parsed === undefined || parsed.port === 0) {
    throw new FailedError(
      `${file} has metrics_addr ${address}, any free port: take the one that the daemon's first line names, --url http://HOST:PORT${besides}`,
    );
  }
  return parsed;
}

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new InvalidArgumentError("Expected a URL such as http://127.0.0.1:9464.");
}
