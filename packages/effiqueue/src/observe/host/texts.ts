/**
 * The figures in what the kernel writes. What is no figure is unknown, and "no limit", in any of its spellings, is none.
 * DESIGN 7.5. Pure.
 */

/** From here on a limit means "none": the kernel writes 2^63 - 4096, 2^63 - 1 or 2^64 - 1, by its page size and version. */
const NO_LIMIT = 2 ** 62;

type Text = string | undefined;

/** Bytes of a file that holds one number; `null`: unknown. */
export function bytesIn(text: Text): number | null {
  const digits = /^\s*(\d+)\s*$/.exec(text ?? "")?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Bytes of a limit; `null`: there is none (`max`, an empty file, a number beyond every machine). */
export function limitIn(text: Text): number | null {
  const bytes = bytesIn(text);
  return bytes === null || bytes >= NO_LIMIT ? null : bytes;
}

/** The number behind a name, as in `inactive_file 4096` or `MemTotal:  1024 kB`, in bytes. */
export function fieldIn(text: Text, name: string): number | null {
  const [, digits, unit] = new RegExp(`^${name}:?\\s+(\\d+)( kB)?\\s*$`, "m").exec(text ?? "") ?? [];
  return digits === undefined ? null : Number(digits) * (unit === undefined ? 1 : 1024);
}

/** Share of the last ten seconds in which somebody waited, in [0, 1]; `null` where the kernel keeps no such account. */
export function pressureIn(text: Text): number | null {
  const percent = Number(/^some avg10=(\d+(?:\.\d+)?) /m.exec(text ?? "")?.[1] ?? Number.NaN);
  return percent >= 0 && percent <= 100 ? percent / 100 : null;
}
