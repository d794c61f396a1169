/**
 * Ceilings of quotients without the error of doubles, where 9 / (3 x 0.6) is 5.000000000000001 and starts a worker too many.
 * What the operator wrote is a decimal, so it is calculated as one. DESIGN 8.2. Pure.
 */

/** `digits x 10^exponent`, exactly the shortest decimal that reads back as `value`: what a person would have typed. */
function decimalOf(value: number): { digits: bigint; exponent: number } {
  const [mantissa = "", exponent = "0"] = String(value).split("e");
  const [whole = "", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
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
  let over = 1n;
  let under = 1n;
  let exponent = 0;
  for (const value of numerators) {
    if (!(Number.isFinite(value) && value >= 0))
      throw new RangeError(`numerator: expected a number >= 0, got ${value}`);
    const decimal = decimalOf(value);
    over *= decimal.digits;
    exponent += decimal.exponent;
  }
  for (const value of denominators) {
    if (!(Number.isFinite(value) && value > 0))
      throw new RangeError(`denominator: expected a number > 0, got ${value}`);
    const decimal = decimalOf(value);
    under *= decimal.digits;
    exponent -= decimal.exponent;
  }
  if (exponent >= 0) over *= 10n ** BigInt(exponent);
  else under *= 10n ** BigInt(-exponent);
  return Number((over + under - 1n) / under);
}
