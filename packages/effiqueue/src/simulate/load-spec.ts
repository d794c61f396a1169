/**
 * A generated load in one line: `flood:base=1,messages=5000,at=10m,within=20s`. DESIGN 13.2. Pure.
 */
import { parseDuration } from "../model/quantities.ts";
import { bursts, constant, diurnal, flood, onOff, ramp, type Span } from "./generators.ts";
import { seeded } from "./random.ts";
import type { Trace } from "./trace.ts";

/** Not a load: says what would be one. */
export class LoadSpecError extends Error {
  override readonly name = "LoadSpecError";
  readonly code = "load";
}

type Numbers = (name: string) => number;

interface Shape {
  /** As it is shown to whoever mistyped it. */
  readonly example: string;
  readonly make: (span: Span, figure: Numbers, time: Numbers) => Trace;
}

const SHAPES: Readonly<Record<string, Shape>> = {
  constant: { example: "constant:rate=5", make: (span, figure) => constant(span, { perSec: figure("rate") }) },
  diurnal: {
    example: "diurnal:low=1,high=20,period=1h",
    make: (span, figure, time) =>
      diurnal(span, { lowPerSec: figure("low"), highPerSec: figure("high"), periodSec: time("period") }),
  },
  ramp: {
    example: "ramp:from=1,to=20",
    make: (span, figure) => ramp(span, { fromPerSec: figure("from"), toPerSec: figure("to") }),
  },
  flood: {
    example: "flood:base=1,messages=5000,at=10m,within=20s",
    make: (span, figure, time) =>
      flood(span, {
        basePerSec: figure("base"),
        messages: figure("messages"),
        atSec: time("at"),
        withinSec: time("within"),
      }),
  },
  onoff: {
    example: "onoff:on=20,off=1,loud=2m,quiet=8m",
    make: (span, figure, time) =>
      onOff(span, { onPerSec: figure("on"), offPerSec: figure("off"), onSec: time("loud"), offSec: time("quiet") }),
  },
  bursts: {
    example: "bursts:calm=2,loud=20,quiet=5m,burst=1m",
    make: (span, figure, time) =>
      bursts(
        span,
        { calmPerSec: figure("calm"), loudPerSec: figure("loud"), calmSec: time("quiet"), loudSec: time("burst") },
        seeded("shape", time("quiet"), time("burst")),
      ),
  },
};

export const LOAD_EXAMPLES = Object.values(SHAPES).map(({ example }) => example);

/**
 * @param span how long, unless the spec says `length=2h` itself
 * @throws LoadSpecError
 */
export function parseLoadSpec(spec: string, { lengthSec }: { readonly lengthSec: number }): Trace {
  const [name = "", list = ""] = spec.split(/:(.*)/s);
  const shape = SHAPES[name];
  if (shape === undefined)
    throw new LoadSpecError(`expected one of ${LOAD_EXAMPLES.join("; ")}, got ${JSON.stringify(spec)}`);
  const values = new Map(list.split(",").map((pair) => pair.split("=").map((word) => word.trim()) as [string, string]));
  const read = (key: string, kind: string, value: number | undefined): number => {
    if (value === undefined || !(value >= 0)) {
      throw new LoadSpecError(
        `${name}: expected ${key} as ${kind}, as in ${shape.example}; got ${values.get(key) ?? "nothing"}`,
      );
    }
    return value;
  };
  const time = (key: string): number => read(key, "a duration", parseDuration(values.get(key)));
  const figure = (key: string): number => {
    const text = values.get(key);
    return read(key, "a number", text === undefined || text === "" ? undefined : Number(text));
  };
  return shape.make({ lengthSec: values.has("length") ? time("length") : lengthSec }, figure, time);
}
