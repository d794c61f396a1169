/**
 * Sums, products and quotients without the error of doubles, where 9 / (3 x 0.6) is 5.000000000000001 and starts a worker too
 * many. What the operator wrote is a decimal, so it is calculated as one. DESIGN 8.2. Pure.
 */

/** `digits x 10^exponent`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Exactly the shortest decimal that reads back as `value`: what a person would have typed. Needs a finite value. */
export function decimalOf(value: number): Decimal {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

export function times(...factors: readonly Decimal[]): Decimal {
  let product: Decimal = { digits: 1n, exponent: 0 };
  for (const { digits, exponent } of factors) {
    product = { digits: product.digits * digits, exponent: product.exponent + exponent };
  }
  return product;
}

export function plus(a: Decimal, b: Decimal): Decimal {
  const exponent = Math.min(a.exponent, b.exponent);
  return { digits: atExponent(a, exponent) + atExponent(b, exponent), exponent };
}

export function isMore(a: Decimal, b: Decimal): boolean {
  const exponent = Math.min(a.exponent, b.exponent);
  return atExponent(a, exponent) > atExponent(b, exponent);
}

/** `over / under`, rounded up to a whole number; needs `over >= 0` and `under > 0`. */
export function ceilOf(over: Decimal, under: Decimal): number {
  const exponent = Math.min(over.exponent, under.exponent);
  const divisor = atExponent(under, exponent);
  return Number((atExponent(over, exponent) + divisor - 1n) / divisor);
}

function atExponent({ digits, exponent }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(exponent - wanted);
}

/**
 * The product of `numerators` over the product of `denominators`, rounded up to a whole number; exact for the decimals
 * that were passed.
 *
 * @param numerators   finite, >= 0
 * @param denominators finite, > 0
 * @throws RangeError for anything else
 */
export function ceilQuotient(numerators: readonly number[], denominators: readonly number[]): number {
  for (const value of numerators) {
    if (!(Number.isFinite(value) && value >= 0))
      throw new RangeError(`numerator: expected a number >= 0, got ${value}`);
  }
  for (const value of denominators) {
    if (!(Number.isFinite(value) && value > 0))
      throw new RangeError(`denominator: expected a number > 0, got ${value}`);
  }
  return ceilOf(times(...numerators.map(decimalOf)), times(...denominators.map(decimalOf)));
}

/**
 * A calculated value without the dust that adding and dividing doubles leaves in its last digits, so that a rate of
 * 12.299999999999999 / 3 is 4.1 again. No measurement has twelve digits.
 */
export function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
