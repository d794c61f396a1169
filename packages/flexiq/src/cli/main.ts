#!/usr/bin/env node
/**
 * The `flexiq` command as a process. DESIGN 12.1.
 */
import { EXIT } from "./errors.ts";
import { lostAnswer } from "./output.ts";
import { runCommand } from "./run.ts";

/** A reader that went away (`flexiq jobs | head`) is no error of ours, nor a reason for a worker to die. */
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

const exitCode = await runCommand(process.argv.slice(2));
// What the app keeps open must not keep the command from ending; what was printed must get out first.
process.stdout.write("", () => {
  const lost = lostAnswer();
  const text = lost === undefined ? "" : `flexiq: the answer could not be written: ${lost.message}\n`;
  process.stderr.write(text, () => process.exit(lost === undefined ? exitCode : exitCode || EXIT.failed));
});
