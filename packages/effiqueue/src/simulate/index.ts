/** The simulator around the policies of `effiqueue/decide`: pure, and deterministic per seed (DESIGN 13.1). Public as `effiqueue/simulate`. */
export type { Sight } from "./broker.ts";
export { type Answer, type Controller, type JobFigures, programController, type View } from "./controller.ts";
export { bursts, constant, diurnal, flood, onOff, ramp, type Span } from "./generators.ts";
export { drawLoad, type Load } from "./load.ts";
export { LOAD_EXAMPLES, LoadSpecError, parseLoadSpec } from "./load-spec.ts";
export { drawSimulation } from "./picture.ts";
export type { StopOrder } from "./plant.ts";
export {
  type Knee,
  PLANT,
  PLANT_MEMORY,
  type PlantBroker,
  type PlantMemory,
  type PlantOptions,
  scriptedSpeed,
  speedOf,
} from "./plant-options.ts";
export { type Random, seeded } from "./random.ts";
export type { Score } from "./score.ts";
export type { ServiceLaw } from "./service.ts";
export { type Moment, type Simulation, simulate, simulateController } from "./simulate.ts";
export { type Facts, formatTrace, lengthOf, type MeasuredCurves, parseTrace, type Trace, TraceError } from "./trace.ts";
export { type Answers, answersFor, LATE_ALLOWED, type Outcome, outcomeOf, type Scene } from "./what-if.ts";
