import { setImmediate as turn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { describe, expect, it } from "vitest";
import type { FlexiqError } from "../../src/errors.ts";
import type { ClaimedJob, Outcome } from "../../src/model.ts";
import { currentJob, NonRetryableError } from "../../src/worker/context.ts";
import { errorText } from "../../src/worker/error-text.ts";
import { type Handler, JobRun } from "../../src/worker/job-run.ts";
import type { ProgressEntry } from "../../src/worker/progress.ts";

const JOB: ClaimedJob = {
  id: 7,
  token: 3,
  task: "resize",
  queue: "images",
  argsJson: `["a.png",2]`,
  attempt: 1,
  maxRetries: 3,
  timeoutMs: null,
};

/** A run whose reports are written down; the handler settles when the test says so. */
function startRun(handler: Handler, job: Partial<ClaimedJob> = {}) {
  const outcomes: Outcome[] = [];
  const progress: ProgressEntry[] = [];
  const run = new JobRun(
    { ...JOB, ...job },
    {
      outcome: (_, outcome) => outcomes.push(outcome),
      settled: () => undefined,
      progress: (entry) => progress.push(entry),
    },
  );
  run.start(handler);
  return { run, outcomes, progress };
}

const heeding = (): Promise<never> =>
  new Promise<never>((_, reject) => {
    const { signal } = currentJob();
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

// eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- handlers throw what they like
const rejects = (thrown: unknown): Promise<never> => Promise.reject(thrown);

function deferred() {
  let resolve: (value: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

describe("DESIGN 10.4: a run ends in one outcome", () => {
  it.each([
    ["a value", () => ({ ok: true }), { kind: "completed", resultJson: `{"ok":true}` }],
    ["a promise", () => Promise.resolve([1]), { kind: "completed", resultJson: "[1]" }],
    ["nothing", () => undefined, { kind: "completed", resultJson: null }],
    ["null", () => null, { kind: "completed", resultJson: "null" }],
    ["a function", () => () => 1, { kind: "failed", retry: false }],
    ["a bigint", () => 1n, { kind: "failed", retry: false }],
    [
      "more than the file takes",
      () => Array.from({ length: 2_600 }, () => "x".repeat(100_000)),
      { kind: "failed", retry: false, error: "the result is larger than 250 MB: keep it elsewhere and pass its path" },
    ],
    ["an error", () => Promise.reject(new Error("no")), { kind: "failed", retry: true }],
    ["a text that is thrown", () => rejects("no"), { kind: "failed", error: `thrown: "no"` }],
    ["undefined that is thrown", () => rejects(undefined), { kind: "failed", retry: true }],
    ["an error no retry helps", () => Promise.reject(new NonRetryableError("no")), { kind: "failed", retry: false }],
    [
      "such an error of another copy of the package",
      () => Promise.reject(Object.assign(new Error("no"), { name: "NonRetryableError" })),
      { kind: "failed", retry: false },
    ],
  ] as [string, Handler, Partial<Outcome>][])("%s", async (_, handler, outcome) => {
    const { outcomes } = startRun(handler);
    await turn();
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).toMatchObject({ id: 7, token: 3, ...outcome });
  });

  it("can be asked for its parts one by one", () => {
    const { run, progress } = startRun(() => {
      const { id, attempt, signal, progress: report } = currentJob();
      report({ id, attempt, aborted: signal.aborted });
    });
    expect(run.context.signal.aborted).toBe(false);
    expect(progress).toEqual([{ id: 7, token: 3, json: `{"id":7,"attempt":1,"aborted":false}` }]);
  });

  // The getter of a literal would keep alive what every job used, until the whole heap is collected.
  it("has accessors that are not made anew for each job", () => {
    setFlagsFromString("--allow-natives-syntax");
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the engine's own word for it
    const hasFastProperties = new Function("object", "return %HasFastProperties(object)") as (
      object: object,
    ) => boolean;
    const literal = {
      get signal() {
        return 1;
      },
    };
    expect(hasFastProperties(literal)).toBe(false);
    expect(hasFastProperties(startRun(() => undefined).run.context)).toBe(true);
  });

  // A throw that escapes from here would strand every job of the same claim: running for ever, in a worker that lives.
  describe("whatever is thrown", () => {
    const knot: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    knot["self"] = knot;
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const hostile = Object.defineProperty(new Error("hostile"), "name", {
      get: () => {
        throw new Error("no name");
      },
    });
    it.each([
      ["an object that has no text", knot],
      ["a revoked proxy", revoked.proxy],
      ["an error whose stack is an object", Object.assign(new Error("odd"), { stack: {} })],
      ["an error without a message", Object.assign(new Error("odd"), { message: undefined })],
      ["an error that cannot be read", hostile],
      ["a symbol", Symbol("odd")],
      ["null", null],
    ] as [string, unknown][])("%s fails the attempt", async (_, thrown) => {
      const sync = startRun(() => {
        throw thrown;
      });
      const async = startRun(() => rejects(thrown));
      await turn();
      for (const { outcomes } of [sync, async]) expect(outcomes).toMatchObject([{ kind: "failed", retry: true }]);
    });

    it.each([
      [
        "a result whose `then` throws when it is read",
        () =>
          Object.defineProperty({}, "then", {
            get: () => {
              throw new Error("odd");
            },
          }),
      ],
      [
        "a promise of another kind that throws",
        () => ({
          // biome-ignore lint/suspicious/noThenProperty: that is the case
          then: () => {
            throw new Error("odd");
          },
        }),
      ],
    ] as [string, Handler][])("%s fails the attempt", async (_, handler) => {
      const { outcomes } = startRun(handler);
      await turn();
      expect(outcomes).toMatchObject([{ kind: "failed" }]);
    });
  });

  it("passes the arguments, and knows its job only while it runs", async () => {
    const seen: unknown[] = [];
    startRun(async (...args) => {
      await turn();
      seen.push(args, currentJob().id);
    });
    await turn();
    await turn();
    expect(seen).toEqual([["a.png", 2], 7]);
    expect(() => currentJob()).toThrow("no job runs here");
  });

  it("reports the first word only", async () => {
    const { promise, resolve } = deferred();
    const { run, outcomes } = startRun(() => promise);
    run.fail("its worker is wrecked");
    resolve(1);
    await turn();
    run.release();
    expect(outcomes).toMatchObject([{ kind: "failed", error: "its worker is wrecked" }]);
    expect(run.isSettled).toBe(true);
  });

  it("takes progress until the outcome is out, and only JSON", async () => {
    const { promise, resolve } = deferred();
    let report: (value: unknown) => void = () => undefined;
    const { progress } = startRun(() => {
      ({ progress: report } = currentJob());
      return promise;
    });
    report({ done: 1 });
    expect(() => report(undefined)).toThrow("not JSON-serialisable");
    resolve(1);
    await turn();
    report({ done: 2 });
    expect(progress).toEqual([{ id: 7, token: 3, json: `{"done":1}` }]);
  });
});

describe("DESIGN 9.8: an aborted run", () => {
  it.each([
    ["cancel", { kind: "cancelled", error: null }, "job-cancelled"],
    ["stop", { kind: "released" }, "stopped"],
    ["timeout", { kind: "failed", retry: true }, "job-timeout"],
  ] as const)("%s: ends as such when the handler heeds its signal", async (cause, outcome, code) => {
    let reason: unknown;
    const { run, outcomes } = startRun(() => {
      const { signal } = currentJob();
      signal.addEventListener("abort", () => (reason = signal.reason as unknown));
      return heeding();
    });
    run.abort(cause);
    await turn();
    expect(outcomes).toMatchObject([outcome]);
    expect((reason as FlexiqError).code).toBe(code);
  });

  it.each([
    ["cancel", "completed"],
    ["stop", "completed"],
    ["timeout", "failed"],
  ] as const)("%s: a handler that ends well all the same has %s", async (cause, kind) => {
    const { promise, resolve } = deferred();
    const { run, outcomes } = startRun(() => promise);
    run.abort(cause);
    resolve("done");
    await turn();
    expect(outcomes).toMatchObject([{ kind }]);
  });

  it("keeps the error of a handler that failed otherwise after its cancellation", async () => {
    const { run, outcomes } = startRun(() => heeding().catch(() => Promise.reject(new Error("cleaning up failed"))));
    run.abort("cancel");
    await turn();
    expect(outcomes).toMatchObject([
      { kind: "cancelled", error: expect.stringContaining("cleaning up failed") as string },
    ]);
  });

  it("has nothing to report when the job is another worker's", async () => {
    const { run, outcomes } = startRun(heeding);
    run.abort("lost");
    await turn();
    expect(outcomes).toEqual([]);
    expect(run.isSettled).toBe(true);
  });

  it("shows the abort to a handler that looks for its signal only afterwards", () => {
    const { run } = startRun(() => deferred().promise);
    run.abort("cancel");
    expect(run.context.signal.aborted).toBe(true);
  });

  it("does not give back uncounted what has timed out", () => {
    const { run, outcomes } = startRun(() => deferred().promise, { timeoutMs: 60_000 });
    run.abort("timeout");
    run.release();
    expect(outcomes).toMatchObject([{ kind: "failed", error: "timed out after 60000 ms" }]);
  });
});

describe("DESIGN 9.8: a handler that holds the event loop beyond its timeout", () => {
  const hold = (ms: number): void => {
    const startedMs = performance.now();
    while (performance.now() - startedMs < ms);
  };
  it.each([
    ["returns", () => hold(6)],
    [
      "throws",
      () => {
        hold(6);
        throw new NonRetryableError("no");
      },
    ],
    [
      "gives a promise",
      () => {
        hold(6);
        return Promise.resolve();
      },
    ],
    [
      "holds it only at its end",
      async () => {
        await turn();
        hold(6);
      },
    ],
  ] as [string, Handler][])("has failed when it %s", async (_, handler) => {
    const { run, outcomes } = startRun(handler, { timeoutMs: 5 });
    while (!run.isSettled) await turn();
    expect(outcomes).toMatchObject([{ kind: "failed", error: "timed out after 5 ms", retry: true }]);
  });

  it.each([
    ["cancel", "completed"],
    ["stop", "completed"],
  ] as const)("%s: what its worker asked for before counts", async (cause, kind) => {
    const { run, outcomes } = startRun(
      async () => {
        await turn();
        hold(6);
      },
      { timeoutMs: 5 },
    );
    run.abort(cause);
    while (!run.isSettled) await turn();
    expect(outcomes).toMatchObject([{ kind }]);
  });
});

describe("DESIGN 10.4: what is kept of an error", () => {
  it("is its stack and those of its causes, bounded", () => {
    const text = errorText(new Error("outer", { cause: new Error("inner", { cause: "a word" }) }));
    expect(text).toMatch(
      /^Error: outer\n\s+at [\s\S]*\ncaused by: Error: inner\n\s+at [\s\S]*\ncaused by: thrown: "a word"$/,
    );
    const long = errorText(new Error("x".repeat(100_000)));
    expect(long.length).toBeLessThan(8_100);
    expect(long).toMatch(/more characters\)$/);
    const circle = new Error("round");
    circle.cause = circle;
    expect(errorText(circle).match(/Error: round/g)).toHaveLength(5);
  });

  it("says what was thrown, whatever it is", () => {
    expect(errorText({ code: 3 })).toBe(`thrown: {"code":3}`);
    expect(errorText(1n)).toBe("thrown: 1");
    expect(errorText(undefined)).toBe("thrown: undefined");
  });
});
