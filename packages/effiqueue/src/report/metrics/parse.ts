/**
 * Reads what `/metrics` says, for clients of the daemon. A series that one side renames must fail a test, not blank a
 * panel, so writer and reader are tested against each other. DESIGN 6.4. Pure.
 */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** May be `Infinity` or `NaN`. */
  readonly value: number;
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const BEGIN = /[ \t]*\{[ \t]*/y;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\.)*)"[ \t]*,?[ \t]*/y;
const VALUE = /[ \t]*(\S+)(?:[ \t]+-?\d+)?[ \t]*$/y;

/**
 * The samples of an exposition in the text format 0.0.4, in order; comments, HELP and TYPE are passed over.
 *
 * @throws SyntaxError naming the line that is none
 */
export function parseExposition(text: string): Sample[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "" || line.startsWith("#")) return [];
    const sample = sampleOf(line);
    if (sample === undefined) throw new SyntaxError(`metrics, line ${index + 1}: no sample: ${JSON.stringify(line)}`);
    return [sample];
  });
}

function sampleOf(line: string): Sample | undefined {
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };

  const name = next(NAME)?.[0];
  if (name === undefined) return undefined;
  const labels: [string, string][] = [];
  if (next(BEGIN) !== null) {
    for (let label = next(LABEL); label !== null; label = next(LABEL)) {
      labels.push([label[1] ?? "", unescaped(label[2] ?? "")]);
    }
    if (line[at] !== "}") return undefined;
    at += 1;
  }
  const value = numberOf(next(VALUE)?.[1]);
  return value === undefined ? undefined : { name, labels: Object.fromEntries(labels), value };
}

const unescaped = (text: string): string =>
  text.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));

const WORDS: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "+inf": Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

function numberOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const word = WORDS[text.toLowerCase()];
  if (word !== undefined) return word;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}
