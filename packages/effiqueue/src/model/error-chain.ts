/**
 * An error with its causes, as the commands of both products tell it: the messages one after the other, the stacks for those who ask.
 * DESIGN 7.9, 12.1. Pure.
 */

/** The message and those of its causes, outermost first, each on one line. */
export const errorMessages = (error: unknown): string[] =>
  chainOf(error).map((link) =>
    messageOf(link)
      .trim()
      .replaceAll(/\s*\n\s*/g, " "),
  );

export const errorStacks = (error: unknown): string =>
  chainOf(error)
    .map((link) => (link instanceof Error ? (link.stack ?? link.message) : String(link)))
    .join("\ncaused by: ");

function messageOf(link: unknown): string {
  if (!(link instanceof Error)) return String(link);
  if ("syscall" in link && link.syscall === "uv_cwd")
    return "the working directory was deleted: change into one that exists";
  const text = link.message || link.name;
  // Commander's begin as if nobody put a name before them.
  const isCommanders = "code" in link && String(link.code).startsWith("commander.");
  return isCommanders ? text.replace(/^error: (command-argument )?/, "") : text;
}

function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  let link = error;
  while (link !== undefined && !chain.includes(link)) {
    chain.push(link);
    link = link instanceof Error ? link.cause : undefined;
  }
  return chain;
}
