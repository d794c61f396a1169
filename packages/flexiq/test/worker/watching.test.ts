import { describe, expect, it } from "vitest";
import { Watching } from "../../src/worker/watching.ts";

/** A watch that can be told from being watched. */
function setUp() {
  const state = { begun: 0, ended: 0 };
  const watching = new Watching(() => {
    state.begun += 1;
    return () => {
      state.ended += 1;
    };
  });
  return { watching, state };
}

const MANY = 1000;

describe("DESIGN 10.1: a worker watches the file while that can tell it something", () => {
  it("asks for another look exactly when the watch begins", () => {
    const { watching, state } = setUp();
    expect(watching.ensure()).toBe(true);
    expect(watching.ensure()).toBe(false);
    expect(state).toEqual({ begun: 1, ended: 0 });
  });

  it("keeps the watch through the exchanges of a job, sleep after sleep", () => {
    const { watching, state } = setUp();
    for (let job = 0; job < MANY; job++) {
      watching.ensure();
      for (let exchange = 0; exchange < 3; exchange++) watching.exchanged();
    }
    expect(state).toEqual({ begun: 1, ended: 0 });
  });

  it("ends the watch in full swing, once, and begins it anew before the next sleep", () => {
    const { watching, state } = setUp();
    watching.ensure();
    for (let exchange = 0; exchange < MANY; exchange++) watching.exchanged();
    expect(state).toEqual({ begun: 1, ended: 1 });
    expect(watching.ensure()).toBe(true);
    expect(state).toEqual({ begun: 2, ended: 1 });
  });

  it("ends harmlessly twice", () => {
    const { watching, state } = setUp();
    watching.ensure();
    watching.end();
    watching.end();
    expect(state.ended).toBe(1);
  });
});
