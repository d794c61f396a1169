/**
 * The two ways in which variables get into a configuration: `${NAME}` in a URL, and Supervisor's `environment`. DESIGN 5.3, 5.4.
 */
import { SyntaxFault } from "./errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Puts variables in for `${NAME}`. In user and password of a URL their delimiters are escaped: a password comes from a vault as it is,
 * and what stands behind its slash must not become the host. Escapes that are there already are kept.
 *
 * @throws SyntaxFault naming the variable, never a value
 */
export function expandVariables(text: string, env: Environment): string {
  const [userPart = ""] = /^[a-z]+:\/\/.*@/i.exec(text) ?? [];
  return text.replaceAll(/\$\{([^}]*)(\}?)/g, (_, name: string, close: string, at: number) => {
    if (close === "" || !/^[a-z_]\w*$/i.test(name)) {
      throw new SyntaxFault("holds a ${ that is not followed by the name of a variable and a }");
    }
    const value = variableOf(env, name);
    return at < userPart.length ? value.replaceAll(DELIMITER, encodeURIComponent) : value;
  });
}

/** What ends the user part of a URL, or is dropped from it. A colon parts user and password, which one variable may hold. */
const DELIMITER = /[/?#[\]@\\\s]|%(?![\da-f]{2})/gi;

/** @throws SyntaxFault when it is not set */
export function variableOf(env: Environment, name: string): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) throw new SyntaxFault(`the environment variable ${name} is not set`);
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
