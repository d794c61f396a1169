/** The formula by itself, without processes or time: what a given load asks for, before any smoothing. */
import { computeDesiredWorkers } from "flexiq/autoscale";
import { config } from "./config.ts";

// depth = ceil(40 / 15) = 3;  utilisation = ceil(13 / (4 x 0.75)) = 5;  the larger one, between 1 and 10
const { desiredWorkers, rationale } = computeDesiredWorkers({ pending: 40, running: 13, currentWorkers: 4, config });
console.log(`${desiredWorkers}: ${rationale}`);
