/**
 * What of a job fits into the file: arguments, result and progress share a row, of which SQLite holds a billion bytes. What it refuses it
 * would refuse at every try, and a worker would keep all its other outcomes behind it. DESIGN 9.4, 10.4.
 */
const MOST_BYTES = 250_000_000;

/** How many bytes there are is only counted where it matters: a character has three at most. */
export const isTooBig = (json: string): boolean => 3 * json.length > MOST_BYTES && Buffer.byteLength(json) > MOST_BYTES;

export const TOO_BIG = `larger than ${MOST_BYTES / 1e6} MB: keep it elsewhere and pass its path`;
