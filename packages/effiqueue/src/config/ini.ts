/**
 * The lines of a Supervisor file: sections of keys and values, comments, continuation lines, by the rules of Python's
 * `configparser` as Supervisor sets it up. DESIGN 5.3.
 */

export interface IniEntry {
  /** Lower-case. */
  readonly key: string;
  /** Lines joined by line breaks. */
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

export interface IniSection {
  readonly name: string;
  readonly line: number;
  readonly entries: readonly IniEntry[];
}

export interface Ini {
  /** In the order of their first mention; a name that comes again goes on where it was. */
  readonly sections: readonly IniSection[];
  readonly faults: readonly { readonly line: number; readonly text: string }[];
}

interface Draft {
  readonly key: string;
  readonly line: number;
  value: string;
}

export function parseIni(source: string): Ini {
  const sections = new Map<string, IniSection & { readonly entries: Draft[] }>();
  const faults: { line: number; text: string }[] = [];
  let section: (IniSection & { readonly entries: Draft[] }) | undefined;
  let entry: Draft | undefined;
  let entryIndent = 0;

  source.split(/\r\n|\n|\r/).forEach((whole, index) => {
    const line = index + 1;
    const content = withoutComment(whole);
    const text = content.trim();
    if (text === "") {
      // An empty line does not end a value; a line of comment leaves no trace in it.
      if (entry !== undefined && content === whole) entry.value += "\n";
      return;
    }
    const indent = content.length - content.trimStart().length;
    if (entry !== undefined && indent > entryIndent) {
      entry.value += `\n${text}`;
      return;
    }
    entryIndent = indent;
    entry = undefined;

    const header = /^\[(.+)\]/.exec(text)?.[1];
    if (header !== undefined) {
      section = sections.get(header) ?? { name: header, line, entries: [] };
      sections.set(header, section);
      return;
    }
    const [, key, value] = /^([^=:]+?)\s*[=:]\s*(.*)$/.exec(text) ?? [];
    if (section === undefined) {
      faults.push({ line, text: "expected a section such as [program:NAME] first; a TOML file has to end in .toml" });
    } else if (key === undefined || value === undefined) {
      faults.push({
        line,
        text: "expected KEY=VALUE, [SECTION], or more of the value above, indented deeper than its key",
      });
    } else {
      entry = { key: key.toLowerCase(), value, line };
      section.entries.push(entry);
    }
  });

  for (const { entries } of sections.values()) for (const each of entries) each.value = each.value.trimEnd();
  return { sections: [...sections.values()], faults };
}

/** A comment begins with ; or # at the start of a line or behind white space, quotes or not. */
function withoutComment(line: string): string {
  if (/^\s*[;#]/.test(line)) return "";
  const at = /\s[;#]/.exec(line)?.index;
  return at === undefined ? line : line.slice(0, at);
}
