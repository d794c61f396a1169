/** A real terminal of a test: a command in tmux, its screen, its keys. Nothing of it outlives the test. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempDir } from "./temp-dir.ts";
import { waitFor } from "./wait-for.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

export interface TmuxOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Printed, with the exit code behind it, when the command has given the terminal back. */
const ENDED = "it ended with";

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

export class Tmux {
  readonly #socket = `effiqueue-${randomUUID()}`;
  readonly #pidFile = join(tempDir(), "pid");

  /** Runs the command in a window of that size; a shell says how it ended. */
  constructor(
    command: readonly string[],
    { columns = 80, rows = 24, cwd = process.cwd(), env = {} }: TmuxOptions = {},
  ) {
    const words = command.map(quoted).join(" ");
    const script = `trap : INT; stty -echo; sh -c ${quoted(`echo $$ > ${quoted(this.#pidFile)}; exec ${words}`)}; echo "${ENDED} $?"; exec cat`;
    // Reading extra certificates costs each Node process 50 ms, and no test needs them.
    const { NODE_EXTRA_CA_CERTS: _, NO_COLOR: __, TMUX: ___, ...inherited } = process.env;
    onTestFinished(() => this.close());
    const size = ["-x", String(columns), "-y", String(rows)];
    this.#tmux(["new-session", "-d", ...size, "-c", cwd, "sh", "-c", script], {
      ...inherited,
      LANG: "C.UTF-8",
      LC_ALL: "",
      ...env,
    });
  }

  /** What is seen, without the blanks at the ends of lines. */
  get screen(): string {
    return this.#tmux(["capture-pane", "-p"]);
  }

  /** The same with its colours. */
  get painted(): string {
    return this.#tmux(["capture-pane", "-pe"]);
  }

  /** Whether the other screen is on, and whether the cursor is there. */
  get modes(): { readonly alternate: boolean; readonly cursor: boolean } {
    const [alternate, cursor] = this.#tmux(["display-message", "-p", "#{alternate_on} #{cursor_flag}"])
      .trim()
      .split(" ");
    return { alternate: alternate === "1", cursor: cursor === "1" };
  }

  /** Of the command. */
  get pid(): number {
    if (!existsSync(this.#pidFile)) throw new Error("the command has not begun");
    return Number(readFileSync(this.#pidFile, "utf8"));
  }

  /** Keys by the names that tmux has for them. */
  press(...keys: readonly string[]): void {
    this.#tmux(["send-keys", ...keys]);
  }

  resize(columns: number, rows: number): void {
    this.#tmux(["resize-window", "-x", String(columns), "-y", String(rows)]);
  }

  /** Resolves with the screen that has it. */
  async shows(expected: string | RegExp): Promise<string> {
    let screen = "";
    const look = (): boolean => {
      screen = this.screen;
      return typeof expected === "string" ? screen.includes(expected) : expected.test(screen);
    };
    try {
      await waitFor(look, { what: `a screen with ${String(expected)}` });
    } catch (error) {
      throw new Error(`${String(error)}\n${screen}`);
    }
    return screen;
  }

  /** Resolves with the exit code of the command. */
  async ended(): Promise<number> {
    const screen = await this.shows(new RegExp(`${ENDED} \\d+`));
    return Number(new RegExp(`${ENDED} (\\d+)`).exec(screen)?.[1]);
  }

  /** The terminal goes away, as a window that is closed or a connection that breaks. Harmless twice. */
  close(): void {
    spawnSync("tmux", ["-L", this.#socket, "kill-server"]);
  }

  #tmux(args: readonly string[], env: NodeJS.ProcessEnv = process.env): string {
    const { status, stdout, stderr } = spawnSync("tmux", ["-L", this.#socket, "-f", "/dev/null", ...args], {
      env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`tmux ${args[0] ?? ""}: ${stderr}`);
    return stdout;
  }
}
