/** Floor and ceiling, in one place so that no rule can spell them differently. DESIGN 8.3, 8.7. Pure. */

/** `value`, but at least `floor` and at most `ceiling`; needs `floor <= ceiling`. */
export function clamp(value: number, floor: number, ceiling: number): number {
  return Math.min(Math.max(value, floor), ceiling);
}
