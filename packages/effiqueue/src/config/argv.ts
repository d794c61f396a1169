/**
 * A command line split into arguments without a shell, by the rules of Python's `shlex` in POSIX mode, which Supervisor uses:
 * a command means here what it means there. DESIGN 5.3.
 */
import { SyntaxFault } from "./errors.ts";

const SPACE = " \t\r\n";

/** @throws SyntaxFault for a quote that is not closed and a backslash at the end */
export function splitCommand(line: string): string[] {
  const args: string[] = [];
  /** `undefined` between arguments: an empty pair of quotes is an argument too. */
  let arg: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i += 1) {
    const char = line.charAt(i);
    if (quote === undefined && SPACE.includes(char)) {
      if (arg !== undefined) args.push(arg);
      arg = undefined;
    } else if (quote === undefined && (char === "'" || char === '"')) {
      quote = char;
      arg ??= "";
    } else if (char === quote) {
      quote = undefined;
    } else if (char === "\\" && quote !== "'") {
      i += 1;
      if (i === line.length) throw new SyntaxFault("ends in a backslash with nothing behind it");
      const next = line.charAt(i);
      // Between double quotes a backslash is special only before a quote and before itself.
      const isLiteral = quote === '"' && next !== '"' && next !== "\\";
      arg = `${arg ?? ""}${isLiteral ? "\\" : ""}${next}`;
    } else {
      arg = `${arg ?? ""}${char}`;
    }
  }
  if (quote !== undefined) throw new SyntaxFault(`has a ${quote} that is never closed`);
  return arg === undefined ? args : [...args, arg];
}
