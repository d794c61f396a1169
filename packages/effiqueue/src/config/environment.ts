/** Variables of the environment, and Supervisor's lists of them. DESIGN 5.3. */
import { SyntaxFault } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** @throws SyntaxFault when it is not set */
export function variableOf(env: Environment, name: string): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined)
    throw new SyntaxFault(`the environment variable ${name} is not set; export it where effiqueue is started`);
  return value;
}

/** What a name or an unquoted value may be made of; anything else is a token of its own, as in Supervisor. */
const WORD = /[\w/.+\-():]/;

/**
 * `KEY=value,KEY2="a, b"` by Supervisor's rules: a comma or line break parts them, and a value with anything but letters,
 * digits and `/.+-():_` is quoted.
 *
 * @throws SyntaxFault when that is no list of variables
 */
export function parseEnvironment(text: string): Record<string, string> {
  const tokens = tokensOf(text);
  const variables: [string, string][] = [];
  for (let i = 0; i < tokens.length; i += 4) {
    const [name, equals, value, comma] = tokens.slice(i, i + 4);
    if (name === undefined || equals !== "=" || value === undefined || !/^[,;]?$/.test(comma ?? "")) {
      throw new SyntaxFault(
        `expected KEY="value",KEY2="value2", with quotes around values that hold anything but letters, digits and /.+-():_`,
      );
    }
    variables.push([name, value.replaceAll(/^['"]+|['"]+$/g, "")]);
  }
  return Object.fromEntries(variables);
}

/** Python's `shlex` outside POSIX mode: quotes stay, backslashes mean nothing, a # begins a comment. */
function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  for (let i = 0; i < text.length; ) {
    const char = text.charAt(i);
    let end = i + 1;
    if (char === "#") {
      while (end < text.length && text.charAt(end) !== "\n") end += 1;
    } else if (char === '"' || char === "'") {
      end = text.indexOf(char, i + 1) + 1;
      if (end === 0) throw new SyntaxFault(`has a ${char} that is never closed`);
      tokens.push(text.slice(i, end));
    } else if (WORD.test(char)) {
      while (end < text.length && (WORD.test(text.charAt(end)) || `"'`.includes(text.charAt(end)))) end += 1;
      tokens.push(text.slice(i, end));
    } else if (!/[ \t\r\n]/.test(char)) {
      tokens.push(char);
    }
    i = end;
  }
  return tokens;
}
