/** An authority of its own, a server that it vouches for, and a client that it vouches for: made by openssl in a folder of the test. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Paths of PEM files. */
export interface Certificates {
  readonly ca: string;
  /** For `localhost` and 127.0.0.1. */
  readonly server: { readonly cert: string; readonly key: string };
  readonly client: { readonly cert: string; readonly key: string };
}

/** Does nothing when the folder has them already. */
export function makeCertificates(folder: string): Certificates {
  if (!existsSync(folder)) {
    const draft = `${folder}.draft`;
    rmSync(draft, { recursive: true, force: true });
    mkdirSync(draft, { recursive: true });
    const authority = ["-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign"];
    openssl(
      draft,
      "req",
      "-x509",
      ...NEW_KEY,
      "ca.key",
      "-out",
      "ca.pem",
      "-days",
      "2",
      "-subj",
      "/CN=test ca",
      ...authority,
    );
    sign(draft, "server", "subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth");
    sign(draft, "client", "extendedKeyUsage=clientAuth");
    renameSync(draft, folder);
  }
  const pair = (name: string) => ({ cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) });
  return { ca: join(folder, "ca.pem"), server: pair("server"), client: pair("client") };
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"];

function sign(folder: string, name: string, extensions: string): void {
  writeFileSync(join(folder, `${name}.ext`), extensions);
  openssl(folder, "req", ...NEW_KEY, `${name}.key`, "-out", `${name}.csr`, "-subj", `/CN=${name}`);
  const by = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2"];
  openssl(folder, "x509", "-req", "-in", `${name}.csr`, ...by, "-extfile", `${name}.ext`, "-out", `${name}.pem`);
}

function openssl(cwd: string, ...args: string[]): void {
  const { status, stderr } = spawnSync("openssl", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr}`);
}
