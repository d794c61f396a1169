/** Questions on a terminal. DESIGN 7.10. */
import { createInterface } from "node:readline/promises";
import { FailedError } from "./errors.ts";

export interface Terminal {
  /** One line, as it was typed. @throws FailedError on Ctrl-C and Ctrl-D */
  ask(question: string): Promise<string>;
  say(text: string): void;
  close(): void;
}

/** `undefined`: there is nobody to ask. */
export function openTerminal(): Terminal | undefined {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const left = new AbortController();
  for (const event of ["SIGINT", "close"] as const) lines.on(event, () => left.abort());
  return {
    ask: async (question) => {
      try {
        return await lines.question(question, { signal: left.signal });
      } catch (cause) {
        if (!left.signal.aborted) throw cause;
        process.stdout.write("\n");
        throw new FailedError("nothing was written");
      }
    },
    say: (text) => process.stdout.write(`${text}\n`),
    close: () => lines.close(),
  };
}
