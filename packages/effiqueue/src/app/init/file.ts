/**
 * The file that `init` writes: the fewest keys that make a program, each with what there is to know about it. DESIGN 7.10.
 */
import { ConfigError, type Finding } from "../../config/errors.ts";
import { readToml } from "../../config/toml.ts";
import { validate } from "../../config/validate.ts";
import { KEYS, type KeyName } from "../../model/keys.ts";

export type Asked = Extract<KeyName, "queue_connection" | "queue_name" | "command" | "max_workers" | "slo_drain_time">;

/** As they were typed. */
export type Answers = Readonly<Record<Asked, string>>;

const PASSWORD_VARIABLE = "RABBITMQ_PASSWORD";

export interface Written {
  readonly text: string;
  /** Variables of the environment that the daemon needs. */
  readonly variables: readonly string[];
  /** Of them the one that takes the place of a password that was typed. */
  readonly password?: string;
}

export function fileFor(answers: Answers): Written {
  const { url, password } = withoutPassword(answers.queue_connection);
  const text = `# effiQueue: as many workers as the queue needs, and not more than this machine can hold.
# Here is what a program needs at least; effiqueue validate-config --help has every other key.

# The broker. \${NAME} is a variable of the environment: the place for passwords.
queue_connection = ${quoted(url)}
queue_name = ${quoted(answers.queue_name)}

# One worker. SIGTERM tells it to finish what it has begun and exit; after drain_timeout it is killed.
command = ${quoted(answers.command)}
# cwd = "/srv/app"              # where it starts; default: where effiqueue starts
# shell = true                  # only for a line that needs pipes or variables
# drain_timeout = "30s"         # longer than the longest message takes

# How many workers, and within what time they are to empty the queue.
min_workers = 0
max_workers = ${numberOrText(answers.max_workers)}
slo_drain_time = ${quoted(answers.slo_drain_time)}

# ram_headroom = "2GB"          # memory left to the system; or ram_budget = "8GB" for all workers together
# metrics_addr = "127.0.0.1:9464"   # metrics, status and the dashboard
`;
  return { text, variables: variablesIn(url), ...(password === undefined ? {} : { password }) };
}

/** What loading the file would say. Variables that are not set yet stand for something. */
export function loadText(answers: Answers): { readonly problems: readonly Finding[] } {
  const { text, variables, password } = fileFor(answers);
  const env = Object.fromEntries(variables.map((name) => [name, process.env[name] ?? "unknown"]));
  if (password !== undefined) env[PASSWORD_VARIABLE] = password;
  try {
    validate("effiqueue.toml", readToml("effiqueue.toml", text), { env });
    return { problems: [] };
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

/** Everybody knows the broker's own first user, and it may log in from the broker's machine only. */
const NO_SECRET = "guest";

function withoutPassword(url: string): { readonly url: string; readonly password?: string } {
  const [, scheme, user, password, rest] = /^([a-z]+:\/\/)([^:@/]*):(.*)(@[^@]*)$/is.exec(url) ?? [];
  if (scheme === undefined || user === undefined || password === undefined || rest === undefined) return { url };
  if (password === "" || password === NO_SECRET || password.includes("${")) return { url };
  return { url: `${scheme}${user}:\${${PASSWORD_VARIABLE}}${rest}`, password };
}

const variablesIn = (url: string): string[] => [...url.matchAll(/\$\{(\w+)\}/g)].map(([, name = ""]) => name);

/** JSON writes texts as TOML does, but for DEL. */
const quoted = (text: string): string => JSON.stringify(text.trim()).replaceAll("\u007f", "\\u007f");

/** What is no number is written as it is, so that the complaint about it shows it. */
function numberOrText(text: string): string {
  const value = KEYS.max_workers.kind.fromText?.(text.trim());
  return typeof value === "number" ? String(value) : quoted(text);
}
