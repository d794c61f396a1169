/** Which daemon a command asks: by its address, or by the configuration that names it. DESIGN 7.9. */
import { type Command, InvalidArgumentError } from "commander";
import { type Endpoint, urlOf } from "../app/status-client.ts";
import { loadConfig } from "../config/load.ts";
import { readTokenFile } from "../config/token-file.ts";
import { parseAddress } from "../model/kinds.ts";
import { FailedError, UsageError } from "./errors.ts";
import { configOption, tokenFileOption } from "./options.ts";

export interface EndpointFlags {
  readonly config?: string;
  readonly url?: string;
  readonly tokenFile?: string;
}

/** Adds the flags that name a daemon. */
export const withEndpoint = (command: Command): Command =>
  command
    .addOption(configOption())
    .option(
      "--url <url>",
      "the daemon's endpoint, http://HOST:PORT; default: metrics_addr of the configuration",
      baseUrl,
    )
    .addOption(tokenFileOption());

/** @throws UsageError, FailedError, ConfigError */
export function endpointOf({ config: file, url, tokenFile }: EndpointFlags): Endpoint {
  if (url === undefined && file === undefined) {
    throw new UsageError("name the daemon: --config FILE, or --url http://HOST:PORT");
  }
  const shared = file === undefined ? undefined : loadConfig(file).shared;
  const tokenPath = tokenFile ?? shared?.metricsTokenFile;
  return {
    base: url ?? urlOf(addressOf(file ?? "", shared?.metricsAddr)),
    token: tokenPath === undefined ? undefined : readTokenFile(tokenPath),
  };
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

function baseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return text;
  throw new InvalidArgumentError("Expected a URL such as http://127.0.0.1:9464.");
}
