/**
 * Loads that can be described in a line, for questions that no recording answers. Each gives the mean arrivals of every interval.
 * DESIGN 13.2. Pure.
 */
import type { Random } from "./random.ts";
import type { Trace } from "./trace.ts";

/** Messages/s from second to second, and how long. */
export interface Span {
  readonly lengthSec: number;
  /** Default: 10 s. */
  readonly intervalSec?: number;
}

const INTERVAL_SEC = 10;

function traceOf({ lengthSec, intervalSec = INTERVAL_SEC }: Span, perSec: (sec: number) => number): Trace {
  const arrivals = Array.from({ length: Math.ceil(lengthSec / intervalSec) }, (_, i) => {
    const middle = (i + 0.5) * intervalSec;
    return Math.max(0, perSec(middle)) * intervalSec;
  });
  return { intervalSec, arrivals, spread: "poisson" };
}

export const constant = (span: Span, { perSec }: { readonly perSec: number }): Trace => traceOf(span, () => perSec);

/** From the lowest to the highest and back in `periodSec`; begins at the lowest. */
export const diurnal = (
  span: Span,
  { lowPerSec, highPerSec, periodSec }: Record<"lowPerSec" | "highPerSec" | "periodSec", number>,
): Trace =>
  traceOf(span, (sec) => lowPerSec + ((highPerSec - lowPerSec) * (1 - Math.cos((2 * Math.PI * sec) / periodSec))) / 2);

/** A straight line. */
export const ramp = (span: Span, { fromPerSec, toPerSec }: Record<"fromPerSec" | "toPerSec", number>): Trace =>
  traceOf(span, (sec) => fromPerSec + ((toPerSec - fromPerSec) * sec) / span.lengthSec);

/** `messages` on top of the base, within `withinSec` from `atSec` on. */
export const flood = (
  span: Span,
  { basePerSec, messages, atSec, withinSec }: Record<"basePerSec" | "messages" | "atSec" | "withinSec", number>,
): Trace => traceOf(span, (sec) => basePerSec + (sec >= atSec && sec < atSec + withinSec ? messages / withinSec : 0));

/** Loud for `onSec`, then quiet for `offSec`, and again; begins quiet. */
export const onOff = (
  span: Span,
  { onPerSec, offPerSec, onSec, offSec }: Record<"onPerSec" | "offPerSec" | "onSec" | "offSec", number>,
): Trace => traceOf(span, (sec) => (sec % (onSec + offSec) < offSec ? offPerSec : onPerSec));

/** Changes between calm and loud at random: both last exponentially long, `calmSec` and `loudSec` on average. */
export function bursts(
  span: Span,
  { calmPerSec, loudPerSec, calmSec, loudSec }: Record<"calmPerSec" | "loudPerSec" | "calmSec" | "loudSec", number>,
  random: Random,
): Trace {
  let isLoud = false;
  let until = calmSec * random.exponential();
  return traceOf(span, (sec) => {
    while (sec >= until) {
      isLoud = !isLoud;
      until += (isLoud ? loudSec : calmSec) * random.exponential();
    }
    return isLoud ? loudPerSec : calmPerSec;
  });
}
