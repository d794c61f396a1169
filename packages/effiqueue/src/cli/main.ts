#!/usr/bin/env node
/**
 * The `effiqueue` command as a process. DESIGN 7.9.
 */
import { runCommandLine } from "./command-line.ts";
import { EXIT } from "./errors.ts";
import { lostAnswer } from "./output.ts";

/** A reader that went away (`effiqueue explain | head`) is no error of ours, nor a reason for the daemon to die. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const exitCode = await runCommandLine(process.argv.slice(2));
// What a connection keeps open must not keep the command from ending; what was printed must get out first.
process.stdout.write("", () => {
  const lost = lostAnswer();
  const text = lost === undefined ? "" : `effiqueue: the answer could not be written: ${lost.message}\n`;
  process.stderr.write(text, () => process.exit(lost === undefined ? exitCode : exitCode || EXIT.failed));
});
