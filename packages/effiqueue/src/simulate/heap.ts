/**
 * What happens next: a binary heap of instants with two numbers each, in flat arrays, because a simulated hour is some hundred
 * thousand of them. DESIGN 13.1. Pure.
 */

export class Heap {
  #keys = new Float64Array(64);
  #firsts = new Int32Array(64);
  #seconds = new Int32Array(64);
  #size = 0;

  /** The smallest key; `Infinity` when there is none. */
  get key(): number {
    return this.#size === 0 ? Number.POSITIVE_INFINITY : (this.#keys[0] ?? 0);
  }

  /** What was pushed with the smallest key. */
  get first(): number {
    return this.#firsts[0] ?? 0;
  }

  get second(): number {
    return this.#seconds[0] ?? 0;
  }

  push(key: number, first: number, second: number): void {
    if (this.#size === this.#keys.length) this.#grow();
    let at = this.#size++;
    const keys = this.#keys;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((keys[above] ?? 0) <= key) break;
      this.#move(above, at);
      at = above;
    }
    this.#put(at, key, first, second);
  }

  pop(): void {
    if (this.#size === 0) return;
    const last = --this.#size;
    const keys = this.#keys;
    const key = keys[last] ?? 0;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= last) break;
      if (below + 1 < last && (keys[below + 1] ?? 0) < (keys[below] ?? 0)) below += 1;
      if ((keys[below] ?? 0) >= key) break;
      this.#move(below, at);
      at = below;
    }
    this.#put(at, key, this.#firsts[last] ?? 0, this.#seconds[last] ?? 0);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#keys[from] ?? 0, this.#firsts[from] ?? 0, this.#seconds[from] ?? 0);
  }

  #put(at: number, key: number, first: number, second: number): void {
    this.#keys[at] = key;
    this.#firsts[at] = first;
    this.#seconds[at] = second;
  }

  #grow(): void {
    const size = 2 * this.#size;
    const grown = <T extends Float64Array | Int32Array>(into: T, from: T): T => {
      into.set(from);
      return into;
    };
    this.#keys = grown(new Float64Array(size), this.#keys);
    this.#firsts = grown(new Int32Array(size), this.#firsts);
    this.#seconds = grown(new Int32Array(size), this.#seconds);
  }
}
