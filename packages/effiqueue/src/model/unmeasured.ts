/** What a decision says of measuring where nothing is measured: in modes without an SLO, and of policies of somebody else's. DESIGN 6.4. */
import type { ProgramDecision } from "./decision.ts";

export const UNMEASURED: Pick<ProgramDecision, "needed" | "gap" | "mu" | "lambda" | "muSource" | "probing" | "spread"> =
  { needed: null, gap: null, mu: null, lambda: null, muSource: 0, probing: false, spread: null };
