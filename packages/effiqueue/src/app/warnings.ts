/** What a daemon says once at its start: what is allowed and hardly meant. DESIGN 7.9. */

import { systemLacks } from "../act/platform/this-system.ts";
import { findingText } from "../config/errors.ts";
import type { Config } from "../config/validate.ts";

const PROCESS_ONE =
  "effiqueue runs as process 1, and Node collects no orphans: what workers leave behind stays as zombies; put an init in front (docker run --init, in Compose init: true)";

export function warningsOf(config: Config, pid = process.pid, lacks = systemLacks): string[] {
  return [...config.warnings.map(findingText), ...(pid === 1 ? [PROCESS_ONE] : []), ...lacks];
}
