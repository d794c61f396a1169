/** The simulator in a program: how many workers a Monday would take, under two promises, and one of its runs as a picture. */
import { writeFileSync } from "node:fs";
import { programConfig } from "effiqueue/decide";
import { diurnal, drawSimulation, PLANT, simulate } from "effiqueue/simulate";

const trace = diurnal({ lengthSec: 7200 }, { lowPerSec: 1, highPerSec: 15, periodSec: 7200 });
const plant = { ...PLANT, service: { law: "lognormal", meanSec: 0.8, cv: 1 } } as const;

for (const sloDrainTime of ["10s", "2m"]) {
  const program = programConfig({
    command: "php worker.php",
    queueConnection: "amqp://localhost",
    queueName: "mails",
    maxWorkers: 20,
    sloDrainTime,
  });
  const run = simulate({ program, trace, plant, seed: 1, sampleSec: 10 });
  const { lateShare, workerSec, peakWorkers } = run.score;
  const hours = (workerSec / 3600).toFixed(1);
  console.log(
    `${sloDrainTime}: ${(100 * lateShare).toFixed(1)}% late, ${hours} worker-hours, at most ${peakWorkers} workers`,
  );
  const [file] = process.argv.slice(2);
  if (file !== undefined) writeFileSync(file, drawSimulation(run, { title: `SLO ${sloDrainTime}`, trace }));
}
