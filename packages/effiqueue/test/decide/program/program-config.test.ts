import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { optionName, PROGRAM_KEYS, ProgramConfigError, programConfig } from "../../../src/decide/index.ts";

const OPTIONS = {
  command: "php consume.php",
  queueConnection: "amqp://localhost",
  queueName: "mail",
  maxWorkers: 4,
  sloDrainTime: "2m",
};

function problemsOf(options: object): ProgramConfigError {
  try {
    programConfig({ ...OPTIONS, ...options });
  } catch (error) {
    if (error instanceof ProgramConfigError) return error;
    throw error;
  }
  throw new Error("expected a refusal");
}

const GB = 1024 ** 3;

describe("DESIGN 5.1: options of a program", () => {
  it("fills in every default", () => {
    expect(programConfig(OPTIONS)).toMatchObject({
      mode: "slo",
      queue: "rabbitmq",
      minWorkers: 0,
      maxWorkers: 4,
      sloDrainTime: 120,
      pollInterval: 10,
      drainTimeout: 30,
      alphaMu: 0.3,
      alphaLambda: 0.3,
      hysteresis: 1,
      cooldownTicks: 2,
      spikeBacklog: 1000,
      maxStep: "auto",
      swapRatioCap: 0.2,
      memoryPressureCap: 0.1,
      ramHeadroom: 2 * GB,
      depthThreshold: 40,
      ramRatioCap: 0.9,
      management: true,
    });
    expect(programConfig(OPTIONS).ramBudget).toBeUndefined();
  });

  it("reads durations and sizes with their units, or as seconds and bytes", () => {
    const config = programConfig({
      ...OPTIONS,
      sloDrainTime: 90,
      pollInterval: "250ms",
      drainTimeout: "1h",
      ramBudget: "1.5GiB",
    });
    expect(config).toMatchObject({ sloDrainTime: 90, pollInterval: 0.25, drainTimeout: 3600, ramBudget: 1.5 * GB });
    expect(config.ramHeadroom).toBeUndefined();
    expect(programConfig({ ...OPTIONS, ramHeadroom: 512 }).ramHeadroom).toBe(512);
  });

  it("takes undefined for left out", () => {
    expect(programConfig({ ...OPTIONS, ramBudget: undefined, hysteresis: undefined, nonsense: undefined })).toEqual(
      programConfig(OPTIONS),
    );
  });

  it.each([
    ["maxWorkers", 0, 1],
    ["maxWorkers", 2.5, 2],
    ["maxWorkers", "4", 4],
    ["minWorkers", -1, 0],
    ["minWorkers", 5, 4],
    ["alphaMu", 0, 0.001],
    ["alphaMu", 1.5, 1],
    ["alphaLambda", 0, 0.001],
    ["alphaLambda", Number.NaN, 1],
    ["mode", "SLO", "slo"],
    ["queue", "redis", "rabbitmq"],
    ["sloDrainTime", 0, 0.001],
    ["sloDrainTime", "2 weeks", "2m"],
    ["sloDrainTime", "1000000h", "500h"],
    ["ramBudget", "12 parsecs", "12GB"],
    ["ramBudget", "99999999999PB", "1PB"],
    ["swapRatioCap", 1.1, 1],
    ["memoryPressureCap", 10, 1],
    ["swapRatioCap", -0.1, 0],
    ["hysteresis", -1, 0],
    ["cooldownTicks", 1.5, 0],
    ["maxStep", 0, 1],
    ["maxStep", "many", "auto"],
    ["ramRatioCap", 0, 0.1],
    ["ramRatioCap", 1.1, 1],
    ["queueConnection", "http://localhost", "amqps://localhost"],
  ])("refuses %s = %s, and takes %s", (key, wrong, right) => {
    expect(problemsOf({ [key]: wrong }).problems.map((problem) => problem.key)).toEqual([key]);
    expect(() => programConfig({ ...OPTIONS, [key]: right })).not.toThrow();
  });

  it("names everything that is wrong at once: key, expectation, value", () => {
    const { message, problems } = problemsOf({ maxWorkers: 0, alphaMu: 2, mode: "SLO", maxWorker: 3 });
    expect(problems.map(({ key }) => key)).toEqual(["maxWorker", "mode", "maxWorkers", "alphaMu"]);
    expect(message).toContain("maxWorker: no such option, expected maxWorkers");
    expect(message).toContain("maxWorkers: expected a whole number >= 1, got 0");
    expect(message).toContain("alphaMu: expected a number > 0 and <= 1, got 2");
    expect(message).toContain('mode: expected one of "slo", "threshold", "hpa", got "SLO"');
  });

  it("names the camelCase option for the key of a file", () => {
    expect(problemsOf({ min_workers: 1 }).message).toContain("expected minWorkers");
  });

  it("says what is missing", () => {
    expect(() => programConfig({})).toThrow(ProgramConfigError);
    const names = problemsOf({ command: undefined, maxWorkers: undefined, sloDrainTime: undefined }).problems;
    expect(names.map(({ key, code }) => [key, code])).toEqual([
      ["command", "missing"],
      ["maxWorkers", "missing"],
      ["sloDrainTime", "missing"],
    ]);
  });

  it("needs an SLO in mode slo only", () => {
    expect(() => programConfig({ ...OPTIONS, mode: "threshold", sloDrainTime: undefined })).not.toThrow();
    expect(() => programConfig({ ...OPTIONS, mode: "hpa", sloDrainTime: undefined })).not.toThrow();
  });

  it("takes one promise, and names both when two are given", () => {
    expect(programConfig({ ...OPTIONS, sloDrainTime: undefined, sloWaitTime: "5s" }).sloWaitTime).toBe(5);
    const { message, problems } = problemsOf({ sloDrainTime: "30s", sloWaitTime: "5s" });
    expect(message).toBe('sloWaitTime: expected only one of sloDrainTime and sloWaitTime, got "5s"');
    expect(problems).toMatchObject([{ key: "sloWaitTime", code: "conflict" }]);
  });

  it("takes one of budget and headroom", () => {
    expect(problemsOf({ ramBudget: "8GB", ramHeadroom: "1GB" }).message).toContain("only one of");
    expect(problemsOf({ maxWorkerJobs: 500 }).message).toBe(
      "maxWorkerJobs: expected maxWorkerAge or maxWorkerMemory instead: RabbitMQ does not tell which worker finished how many messages, got 500",
    );
  });

  it("never shows what may hold a password", () => {
    const { message, problems } = problemsOf({ queueConnection: "ftp://user:hunter2@host" });
    expect(message + JSON.stringify(problems)).not.toContain("hunter2");
  });

  it("refuses every kind of nonsense with its typed error", () => {
    const anything = fc.oneof(fc.anything(), fc.constantFrom(null, Number.NaN, Infinity, [], {}, ""));
    const names = Object.keys(PROGRAM_KEYS).map((name) => optionName(name as keyof typeof PROGRAM_KEYS));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names, "other"), anything), (options) => {
        try {
          programConfig({ ...OPTIONS, ...options });
        } catch (error) {
          expect(error).toBeInstanceOf(ProgramConfigError);
        }
      }),
    );
  });

  it("changes nothing in what it was given", () => {
    const options = Object.freeze({ ...OPTIONS });
    expect(programConfig(options)).toEqual(programConfig(options));
  });
});
