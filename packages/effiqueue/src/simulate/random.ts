/**
 * Chance that can be repeated: the same words give the same numbers on every machine, so that a simulated night can be talked
 * about. DESIGN 13.1. Pure.
 */

export interface Random {
  /** Uniform in (0, 1): never 0, so that its logarithm is finite. */
  readonly next: () => number;
  /** Mean 1. */
  readonly exponential: () => number;
  /** Mean 0, deviation 1. */
  readonly normal: () => number;
}

/**
 * xoshiro128**, seeded from the words. Streams of different words are independent for all that is simulated here, so a further
 * draw in one place changes nothing in another.
 */
export function seeded(...words: readonly (string | number)[]): Random {
  let seed = hashOf(words.join("\0"));
  const word = (): number => {
    // splitmix32: never hands out four zeros in a row, which xoshiro could not leave.
    seed = (seed + 0x9e3779b9) | 0;
    let z = seed;
    z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  };
  let [a, b, c, d] = [word(), word(), word(), word()];

  const next = (): number => {
    const scrambled = Math.imul(b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = (d << 11) | (d >>> 21);
    return ((result >>> 0) + 0.5) / 2 ** 32;
  };
  return {
    next,
    exponential: () => -Math.log(next()),
    normal: () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next()),
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
