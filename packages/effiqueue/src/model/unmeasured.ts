/** What a decision says of measuring where nothing is measured: in modes without an SLO, and of policies of somebody else's. DESIGN 6.4. */
import type { ProgramDecision } from "./decision.ts";

type Measurements =
  | "needed"
  | "gap"
  | "mu"
  | "lambda"
  | "muInterval"
  | "lambdaInterval"
  | "muSource"
  | "probing"
  | "spread"
  | "workerBytes";

export const UNMEASURED: Pick<ProgramDecision, Measurements> = {
  needed: null,
  gap: null,
  mu: null,
  lambda: null,
  muInterval: null,
  lambdaInterval: null,
  muSource: 0,
  probing: false,
  spread: null,
  workerBytes: null,
};
