/** What a running daemon can be told: one entry a command. DESIGN 7.12. */
import type { Commands } from "../../report/http/control.ts";

export const controlCommands = (): Commands => ({});
