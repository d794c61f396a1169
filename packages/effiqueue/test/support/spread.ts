/** Numbers drawn at random that are spread as their name says: of all doubles up to 15 nearly all are next to nothing. */
import fc from "fast-check";

const PARTS = 1e6;

/**
 * Any as likely as the other.
 *
 * @param min and max are drawn as well
 */
export const between = (min: number, max: number) =>
  fc.integer({ min: 0, max: PARTS }).map((part) => min + ((max - min) * part) / PARTS);

/** Any order of magnitude as likely as the other. */
export const over = (min: number, max: number) => between(Math.log(min), Math.log(max)).map(Math.exp);
