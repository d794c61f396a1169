/** Changes are told by the file. DESIGN 10.1. */
import { describe, expect, it } from "vitest";
import { waitFor } from "../../../effiqueue/test/support/wait-for.ts";
import { aJob, openStore } from "../support/store.ts";
import { storeChild } from "../support/store-child.ts";
import { DRIVER } from "./contract.ts";

describe("DESIGN 10.1: the watch", () => {
  it("tells of a commit of another process", async () => {
    const store = openStore({ driver: DRIVER });
    let calls = 0;
    store.onChange(() => (calls += 1));
    await storeChild("unique", store.dbPath, 1).ended;
    await waitFor(() => calls > 0);
  });

  it("tells each who asked until it stops, and makes one call of many writes", async () => {
    const store = openStore({ driver: DRIVER });
    const writer = openStore({ driver: DRIVER, dbPath: store.dbPath });
    let first = 0;
    let second = 0;
    const stop = store.onChange(() => (first += 1));
    store.onChange(() => (second += 1));
    await Promise.all(Array.from({ length: 200 }, () => writer.insert(aJob())));
    await waitFor(() => first > 0 && second > 0);
    expect(first).toBeLessThan(100);
    stop();
    stop();
    const before = { first, second };
    await writer.insert(aJob());
    await waitFor(() => second > before.second);
    expect(first).toBe(before.first);
  });

  it("is silent after close", async () => {
    const store = openStore({ driver: DRIVER });
    const writer = openStore({ driver: DRIVER, dbPath: store.dbPath });
    let calls = 0;
    let heard = 0;
    store.onChange(() => (calls += 1));
    writer.onChange(() => (heard += 1));
    store.close();
    await writer.insert(aJob());
    await waitFor(() => heard > 0);
    expect(calls).toBe(0);
  });
});
