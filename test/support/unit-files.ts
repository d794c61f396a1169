/** As much of systemd's and Compose's file formats as our own files use; anything else is an error, not a guess. */

/** `Key=value` by section; the last value of a key counts. */
export function parseUnit(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let section: Map<string, string> | undefined;
  for (const line of text.split("\n")) {
    const header = /^\[(\w+)\]$/.exec(line);
    if (header?.[1] !== undefined) sections.set(header[1], (section = new Map<string, string>()));
    else if (line !== "" && !line.startsWith("#")) {
      const [, key, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      if (key === undefined || value === undefined || section === undefined) throw new Error(`no unit line: ${line}`);
      section.set(key, value);
    }
  }
  return sections;
}

export type Yaml = string | null | Yaml[] | { [key: string]: Yaml };

/** Maps, lists of scalars and plain scalars, indented by two spaces. */
export function parseYaml(text: string): Yaml {
  const lines = text.split("\n").filter((line) => line.trim() !== "" && !line.trim().startsWith("#"));
  let at = 0;
  const depthOf = (line: string): number => line.length - line.trimStart().length;
  const block = (depth: number): Yaml => {
    const next = lines[at];
    if (next === undefined || depthOf(next) < depth) return null;
    if (next.trimStart().startsWith("- ")) {
      const list: Yaml[] = [];
      for (let line = lines[at]; line?.startsWith(`${" ".repeat(depth)}- `) === true; line = lines[++at]) {
        list.push(line.trim().slice(2));
      }
      return list;
    }
    const map: { [key: string]: Yaml } = {};
    for (let line = lines[at]; line !== undefined && depthOf(line) >= depth; line = lines[at]) {
      const [, key, value] = /^ *(\w+):(?: (.*))?$/.exec(line) ?? [];
      if (key === undefined || depthOf(line) !== depth) throw new Error(`no line this parser knows: ${line}`);
      at++;
      map[key] = value ?? block(depth + 2);
    }
    return map;
  };
  const document = block(0);
  if (at < lines.length) throw new Error(`no line this parser knows: ${lines[at] ?? ""}`);
  return document;
}

/** `90s`, `2m` or a bare number of seconds. */
export function seconds(text: string): number {
  const [, amount, unit] = /^(\d+)(s|m)?$/.exec(text) ?? [];
  if (amount === undefined) throw new Error(`no duration: ${text}`);
  return Number(amount) * (unit === "m" ? 60 : 1);
}
