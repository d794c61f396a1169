/** Whether metrics and status can be served where they are meant to be. DESIGN 7.10. */
import { createServer } from "node:net";
import { readTokenFile, TokenFileError } from "../../config/token-file.ts";
import type { Config } from "../../config/validate.ts";
import { parseAddress } from "../../model/kinds.ts";
import { failed, ok, skipped, type Verdict, warning } from "./verdicts.ts";

const SUBJECT = "metrics_addr";
const TOKEN = "metrics_token_file";

/** What a start would find of the token's file; nothing where there is no endpoint that could ask for it. */
export function checkToken({ metricsAddr, metricsTokenFile: file }: Config["shared"]): readonly Verdict[] {
  if (metricsAddr === undefined || file === undefined) return [];
  try {
    readTokenFile(file);
    return [ok(TOKEN, `${file} holds one`)];
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    return [failed(TOKEN, error.why, error.remedy)];
  }
}

/**
 * @param isOurs a daemon of this configuration seems to run, so that it will be the one who has the port
 * @param isGuarded it asks for a token
 */
export async function checkMetricsAddress(
  address: string | undefined,
  isOurs: boolean,
  isGuarded = false,
): Promise<Verdict> {
  if (address === undefined) {
    return skipped(SUBJECT, "not set: no metrics, no dashboard", 'metrics_addr = "127.0.0.1:9464"');
  }
  const { host, port } = parseAddress(address) ?? { host: "", port: 0 };
  const code = await whyNot(host, port);
  if (code !== undefined) return refused(address, port, code, isOurs);
  if (["", "0.0.0.0", "::"].includes(host) && !isGuarded) {
    const remedy = "set metrics_token_file, name a private address, or keep the port behind a firewall";
    return warning(SUBJECT, `${address} is free, and open to every network of this machine`, remedy);
  }
  return ok(SUBJECT, `${address} is free`);
}

function refused(address: string, port: number, code: string, isOurs: boolean): Verdict {
  if (code === "EADDRINUSE" && isOurs) {
    return warning(
      SUBJECT,
      `${address} is in use, it seems by the daemon that runs`,
      `nothing; else see who: ss -ltnp sport = :${port}`,
    );
  }
  const [found, remedy] = REFUSALS[code] ?? [`cannot be used: ${code}`, "name another address"];
  return failed(SUBJECT, `${address} ${found}`, remedy.replace("PORT", String(port)));
}

const REFUSALS: Readonly<Record<string, readonly [found: string, remedy: string]>> = {
  EADDRINUSE: ["is in use by another process", "name another port, or see who has it: ss -ltnp sport = :PORT"],
  EACCES: ["is a port that only root may open", "name a port from 1024 on"],
  EADDRNOTAVAIL: ["is no address of this machine", "name one of its own (ip address), or 127.0.0.1"],
  ENOTFOUND: ["has a host name that cannot be resolved", "name an address, such as 127.0.0.1"],
};

function whyNot(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, ...(host === "" ? {} : { host }) }, () => server.close(() => resolve(undefined)));
  });
}
