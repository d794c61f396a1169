/**
 * Text that comes from elsewhere, as a person may see it on a terminal: names, words of a broker or of a proxy. None may begin a line
 * of its own or command the terminal. DESIGN 6.2. Pure.
 */
export const visible = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what it is about
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) =>
    character === "\n" ? "\\n" : `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
