/** The pure policies: no clock, no randomness, no I/O (DESIGN 1.5). Public as `effiqueue/decide`. */
export type { Action, Decision, ReasonCode } from "../model/decision.ts";
export type { Observation, QueueReading, WorkersReading } from "../model/observation.ts";
