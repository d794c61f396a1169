import { describe, expect, it } from "vitest";
import { type Answers, fileFor } from "../../../src/app/init/file.ts";
import { faultOf, QUESTIONS } from "../../../src/app/init/questions.ts";
import { load, only } from "../../config/files.ts";

const ANSWERS: Answers = {
  queue_connection: "amqp://guest:guest@localhost",
  queue_name: "mails",
  command: "php bin/console messenger:consume async",
  max_workers: "20",
  slo_drain_time: "2m",
};

const loaded = (answers: Partial<Answers>, env = {}) =>
  only(load(fileFor({ ...ANSWERS, ...answers }).text, { env })).options;

describe("DESIGN 7.10: the file that init writes", () => {
  it("means what was answered, and nothing that it explains", () => {
    const { queueConnection, queueName, command, minWorkers, maxWorkers, sloDrainTime, metricsAddr, cwd, shell } =
      loaded({});
    expect({ queueConnection, queueName, command, minWorkers, maxWorkers, sloDrainTime }).toEqual({
      queueConnection: "amqp://guest:guest@localhost",
      queueName: "mails",
      command: "php bin/console messenger:consume async",
      minWorkers: 0,
      maxWorkers: 20,
      sloDrainTime: 120,
    });
    expect({ metricsAddr, cwd, shell }).toEqual({ metricsAddr: undefined, cwd: undefined, shell: false });
  });

  it("is good in every line that it only suggests", () => {
    const { text } = fileFor(ANSWERS);
    const suggested = text.replaceAll(/^# (?=[a-z_]+ = )/gm, "");
    expect(suggested).not.toBe(text);
    expect(load(suggested).warnings).toEqual([]);
  });

  it.each(["a \"quoted\" 'word'", "back\\slash", "täb\there", "del\u007f", "#no comment", "%d"])(
    "keeps %j as it is",
    (text) => {
      expect(loaded({ queue_name: text }).queueName).toBe(text);
    },
  );

  it.each<[string, string, readonly string[], string | undefined]>([
    ["amqp://app:s3cret@h:5672/%2F", "amqp://app:${RABBITMQ_PASSWORD}@h:5672/%2F", ["RABBITMQ_PASSWORD"], "s3cret"],
    ["amqps://app:a@b/c@h", "amqps://app:${RABBITMQ_PASSWORD}@h", ["RABBITMQ_PASSWORD"], "a@b/c"],
    ["amqp://app:${MINE}@h", "amqp://app:${MINE}@h", ["MINE"], undefined],
    ["${BROKER}", "${BROKER}", ["BROKER"], undefined],
    ["amqp://guest:guest@h", "amqp://guest:guest@h", [], undefined],
    ["amqp://app:@h", "amqp://app:@h", [], undefined],
    ["amqp://app@h:5672", "amqp://app@h:5672", [], undefined],
    ["amqp://h:5672/v", "amqp://h:5672/v", [], undefined],
  ])("keeps the password of %s out of the file", (typed, address, variables, password) => {
    const written = fileFor({ ...ANSWERS, queue_connection: typed });
    expect(written.text).toContain(`queue_connection = "${address}"\n`);
    expect([written.variables, written.password]).toEqual([variables, password]);
    if (password !== undefined) expect(written.text).not.toContain(password);
  });
});

describe("DESIGN 7.10: what init takes for an answer", () => {
  it("suggests only what it takes itself", () => {
    for (const { key, otherwise } of QUESTIONS)
      if (otherwise !== undefined) expect(faultOf(key, otherwise)).toBeUndefined();
  });

  it.each([
    [
      "queue_connection",
      "http://h",
      "expected a URL such as amqp://HOST, got http://..., not shown because it may hold a password",
    ],
    ["queue_connection", "amqp://app:a%b@h", undefined],
    // The password becomes a variable, which may hold anything.
    ["queue_connection", "amqp://app:a b@h", undefined],
    ["queue_connection", "amqp://app:a@h h", expect.stringContaining("expected a URL") as string],
    ["queue_connection", "amqp://${NOT_SET_HERE}", undefined],
    ["queue_connection", "amqp://${not closed", expect.stringContaining("holds a ${") as string],
    ["queue_name", "  ", "expected some text"],
    ["command", "php 'worker", "has a ' that is never closed"],
    ["command", "worker --n=%(process_num)02d", undefined],
    ["command", "worker --n=%(number)d", expect.stringContaining("number") as string],
    ["max_workers", "many", 'expected a whole number >= 1, got "many"'],
    ["max_workers", "0", "expected a whole number >= 1, got 0"],
    ["max_workers", "8", undefined],
    ["slo_drain_time", "0s", expect.stringContaining("expected a duration > 0") as string],
    ["slo_drain_time", "90", undefined],
    ["slo_drain_time", "1h", undefined],
  ] as const)("%s: %j", (key, answer, fault) => {
    expect(faultOf(key, answer)).toEqual(fault);
  });
});
