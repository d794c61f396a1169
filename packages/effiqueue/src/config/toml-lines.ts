/**
 * On which line a TOML file says what: the parser tells positions of syntax errors only, and a message about a wrong value
 * without its line sends people searching. Reads files that the parser has accepted, so it need not be strict. Keys inside an
 * inline table or array share the line of the key that holds them. DESIGN 5.1.
 */

/** Line, from 1, by path: `max_workers`, `program[1].env.APP`; a `[[program]]` header is `program[1]`. */
export function tomlLines(source: string): ReadonlyMap<string, number> {
  return new LineScanner(source).scan();
}

class LineScanner {
  readonly #source: string;
  readonly #lines = new Map<string, number>();
  /** How many elements each array of tables has so far. */
  readonly #arrays = new Map<string, number>();
  #at = 0;
  #line = 1;
  #table = "";

  constructor(source: string) {
    this.#source = source;
  }

  scan(): ReadonlyMap<string, number> {
    while (this.#at < this.#source.length) {
      const char = this.#source.charAt(this.#at);
      if (char === "#") this.#skipComment();
      else if (char === "[") this.#header();
      else if (/\s/.test(char)) this.#step();
      else this.#statement();
    }
    return this.#lines;
  }

  #header(): void {
    const line = this.#line;
    const isArray = this.#source.startsWith("[[", this.#at);
    this.#at += isArray ? 2 : 1;
    const names = this.#names("]");
    this.#table = "";
    names.forEach((name, i) => {
      const path = join(this.#table, name);
      const isLast = i === names.length - 1;
      if (isLast && isArray) this.#arrays.set(path, (this.#arrays.get(path) ?? 0) + 1);
      const count = this.#arrays.get(path);
      this.#table = count === undefined ? path : `${path}[${count - 1}]`;
      this.#note(path, line);
      this.#note(this.#table, line);
    });
    this.#at += isArray ? 2 : 1;
  }

  #statement(): void {
    const line = this.#line;
    let path = this.#table;
    for (const name of this.#names("=")) {
      path = join(path, name);
      this.#note(path, line);
    }
    this.#at += 1;
    this.#skipValue();
  }

  /** The parts of a dotted key, up to and without `end`. */
  #names(end: string): string[] {
    const names: string[] = [];
    while (this.#at < this.#source.length && this.#source.charAt(this.#at) !== end) {
      const char = this.#source.charAt(this.#at);
      if (char === '"' || char === "'") {
        const start = this.#at;
        this.#skipString();
        names.push(this.#source.slice(start + 1, this.#at - 1));
      } else if (/[\w-]/.test(char)) {
        const [name = ""] = /^[\w-]+/.exec(this.#source.slice(this.#at, this.#at + 200)) ?? [];
        names.push(name);
        this.#at += name.length;
      } else this.#step();
    }
    return names;
  }

  /** To the end of the line on which the value ends. */
  #skipValue(): void {
    for (let depth = 0; this.#at < this.#source.length; ) {
      const char = this.#source.charAt(this.#at);
      if (char === "\n" && depth === 0) return;
      if (char === '"' || char === "'") this.#skipString();
      else if (char === "#") this.#skipComment();
      else {
        if (char === "[" || char === "{") depth += 1;
        else if (char === "]" || char === "}") depth -= 1;
        this.#step();
      }
    }
  }

  #skipString(): void {
    const quote = this.#source.charAt(this.#at);
    const isLong = this.#source.startsWith(quote.repeat(3), this.#at);
    const end = isLong ? quote.repeat(3) : quote;
    this.#at += end.length;
    while (this.#at < this.#source.length && !this.#source.startsWith(end, this.#at)) {
      if (quote === '"' && this.#source.charAt(this.#at) === "\\") this.#step();
      this.#step();
    }
    this.#at += end.length;
    // A long string may end in up to two quotes of its own, just before the three that close it.
    while (isLong && this.#source.charAt(this.#at) === quote) this.#at += 1;
  }

  #skipComment(): void {
    while (this.#at < this.#source.length && this.#source.charAt(this.#at) !== "\n") this.#at += 1;
  }

  #step(): void {
    if (this.#source.charAt(this.#at) === "\n") this.#line += 1;
    this.#at += 1;
  }

  /** The first mention counts. */
  #note(path: string, line: number): void {
    if (!this.#lines.has(path)) this.#lines.set(path, line);
  }
}

const join = (table: string, name: string): string => (table === "" ? name : `${table}.${name}`);
