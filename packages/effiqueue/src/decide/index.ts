/** The pure policies: no clock, no randomness, no I/O (DESIGN 1.5). Public as `effiqueue/decide`. */
export type {
  Action,
  BoundBy,
  Decision,
  FeasibilityGap,
  Interval,
  MuSource,
  ProgramDecision,
  ReasonCode,
} from "../model/decision.ts";
export { KEYS as PROGRAM_KEYS, type Key, type KeyName, type Mode, optionName } from "../model/keys.ts";
export type { Measured, MemoryReading, Observation, QueueReading, WorkersReading } from "../model/observation.ts";
export type { Override, OverrideKind } from "../model/override.ts";
export type {
  Appetite,
  BackoffPolicy,
  BackoffState,
  BudgetClaim,
  BudgetDivision,
  BudgetPolicy,
  Need,
  Policy,
} from "../model/ports.ts";
export {
  assertHpaConfig,
  HPA_DEFAULTS,
  type HpaConfig,
  HpaConfigError,
  type HpaConfigProblem,
  hpaConfigProblems,
} from "./hpa/config.ts";
export { computeDesired, type Desired, type HpaLoad } from "./hpa/desired.ts";
export { type HpaState, hpaPolicy, initialHpaState, stepHpa } from "./hpa/policy.ts";
export { type ProgramConfig, ProgramConfigError, type ProgramProblem, programConfig } from "./program.ts";
export { type BudgetLimit, sharedBudget } from "./shared/budget.ts";
export { CRASHES_BEFORE_PAUSE, crashBackoff, FIRST_PAUSE_SEC, LONGEST_PAUSE_SEC } from "./shared/crash-backoff.ts";
export { ceilQuotient } from "./shared/exact.ts";
export {
  ageRecommendations,
  type Recommendation,
  type RecommendationHistory,
  rememberRecommendation,
  type Stabilised,
  stabilise,
  type Windows,
} from "./shared/stabilise.ts";
export { workersNeeded } from "./slo/littles-law.ts";
export { initialState, programPolicy, type State, step } from "./step.ts";
