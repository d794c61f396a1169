/** What lock 4 asks of a step function, so that it can be asked of fixtures that break it as well. DESIGN 1.5. */

export type Step<State, Seen> = (state: State, seen: Seen) => { readonly state: State };

export type Breach = "changes its input" | "state is more than JSON" | "answers differently the second time" | "throws";

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}

/** Equal as values are: a missing key and an undefined one differ, and so do -0 and 0. */
function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => key in b && same(Reflect.get(a, key), Reflect.get(b, key)))
  );
}

function throughJson<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/**
 * Walks a step function through what it sees, with every input frozen and every state sent through JSON, and returns each
 * kind of breach once.
 */
export function breachesOf<State, Seen>(step: Step<State, Seen>, initial: State, seen: readonly Seen[]): Breach[] {
  const breaches = new Set<Breach>();
  let state = initial;
  for (const input of seen) {
    deepFreeze(state);
    deepFreeze(input);
    try {
      const first = step(state, input);
      const second = step(state, input);
      if (!same(first, second)) breaches.add("answers differently the second time");
      const revived = throughJson(first.state);
      if (!same(revived, first.state)) breaches.add("state is more than JSON");
      state = revived;
    } catch (error) {
      // Modules are strict, so writing to a frozen object throws.
      const wrote = error instanceof TypeError && /read only|not extensible|Cannot delete/.test(error.message);
      breaches.add(wrote ? "changes its input" : "throws");
    }
  }
  return [...breaches];
}
