/** Which effiqueue this is: said by `--version`, by the daemon's first line, and in its metrics. DESIGN 7.9. */
import { readFileSync } from "node:fs";

export const version = (): string =>
  (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }).version;
