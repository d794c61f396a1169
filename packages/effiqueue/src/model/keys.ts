/**
 * The one table of what an operator can set. Both file formats, their validation and messages, the types of the options
 * and docs/config.md are read off it. DESIGN 5.2. Pure.
 */
import {
  above,
  address,
  between,
  choice,
  duration,
  exitCodes,
  header,
  hostNames,
  integer,
  type Kind,
  onOff,
  path,
  signal,
  size,
  someBytes,
  someTime,
  step,
  text,
  url,
  variables,
  whole,
} from "./kinds.ts";
import { schedules } from "./schedule.ts";

export type Mode = "slo" | "threshold" | "hpa";

/** Which part of the system reads a key: a heading of the reference. */
type Part = "machine" | "queue" | "worker" | "policy";

export interface Key {
  readonly kind: Kind<unknown>;
  readonly part: Part;
  /** There is one loop cadence, one memory budget and one endpoint: such a key has no place inside a program. */
  readonly processWide?: true;
  readonly required?: true;
  /** As one would type it. */
  readonly default?: unknown;
  /** What holds without the key, where that is no fixed value. */
  readonly absent?: string;
  /** The modes that read it; without it all do. */
  readonly modes?: readonly Mode[];
  /** Holds tables, which a Supervisor file has no way to write. */
  readonly tomlOnly?: true;
  /** `${NAME}` is expanded, and the value may hold a password: it is never shown. */
  readonly secret?: true;
  readonly help: string;
}

const SLO = ["slo"] as const;
const THRESHOLD = ["threshold"] as const;
const STEPPED = ["slo", "threshold"] as const;
const HPA = ["hpa"] as const;

/** In the order in which they are explained. */
export const KEYS = {
  ram_budget: {
    kind: someBytes,
    part: "machine",
    processWide: true,
    absent: "what the machine has, less everything that is no worker, less `ram_headroom`",
    help: "memory that the workers of all programs may take together; not beside `ram_headroom`",
  },
  ram_headroom: {
    kind: size,
    part: "machine",
    processWide: true,
    absent: "2GB where a program has mode `slo` and `ram_budget` is not set; else nothing",
    help: "memory left to the system and its page cache; not beside `ram_budget`",
  },
  poll_interval: {
    kind: someTime,
    part: "machine",
    processWide: true,
    default: "10s",
    help: "from decision to decision: short enough to react, long enough for a new worker's memory to settle",
  },
  drain_timeout: {
    kind: duration,
    part: "machine",
    processWide: true,
    default: "30s",
    help: "from the stop signal to SIGKILL; longer than the longest message takes",
  },
  metrics_addr: {
    kind: address,
    part: "machine",
    processWide: true,
    absent: "no endpoint",
    help: "where the dashboard, metrics, health and status are served; whoever reaches it may read, unless `metrics_token_file` is set",
  },
  metrics_token_file: {
    kind: path,
    part: "machine",
    processWide: true,
    absent: "nobody is asked",
    help: "file of the token that everybody has to show who reads figures there; not readable for everybody (`chmod 640`)",
  },
  metrics_hosts: {
    kind: hostNames,
    part: "machine",
    processWide: true,
    absent: "addresses, `localhost`, and the host of `metrics_addr`",
    help: "further names in the URL by which browsers and scrapers may ask `metrics_addr`; others are refused",
  },
  on_event: {
    kind: url("https", "http"),
    part: "machine",
    processWide: true,
    secret: true,
    absent: "nobody is told",
    help: "address to POST to, as JSON, when a gap opens or clears, workers crash in a row, or a queue cannot be read and can be again",
  },
  on_event_header: {
    kind: header,
    part: "machine",
    processWide: true,
    secret: true,
    absent: "none",
    help: "header to send along, such as `Authorization: Bearer ${NAME}`",
  },
  state_dir: {
    kind: path,
    part: "machine",
    processWide: true,
    absent: "where this system keeps the state of the user's programs",
    help: "folder of locks and worker lists, by which a successor finds the workers of a killed daemon",
  },

  queue: { kind: choice("rabbitmq"), part: "queue", default: "rabbitmq", help: "the kind of queue" },
  queue_connection: {
    kind: url("amqp", "amqps"),
    part: "queue",
    required: true,
    secret: true,
    help: "where the broker is: `amqp://USER:PASSWORD@HOST:PORT/VHOST`, every part percent-encoded",
  },
  queue_name: { kind: text, part: "queue", required: true, help: "the queue that the workers consume" },
  management: {
    kind: onOff,
    part: "queue",
    default: true,
    help: "prefer the management API, which knows rates; without it they are inferred from the backlog, slowly",
  },
  management_url: {
    kind: url("http", "https"),
    part: "queue",
    secret: true,
    absent: "derived from `queue_connection`",
    help: "where the management API is, with a path if it has a prefix",
  },
  tls_ca: {
    kind: path,
    part: "queue",
    absent: "the authorities that Node trusts",
    help: "PEM file of the authority that signed the broker's certificates",
  },
  tls_cert: {
    kind: path,
    part: "queue",
    absent: "none",
    help: "PEM file of the client certificate; goes with `tls_key`",
  },
  tls_key: { kind: path, part: "queue", absent: "none", help: "PEM file of the client certificate's key" },

  name: {
    kind: text,
    part: "worker",
    absent: "`queue_name`; in a Supervisor file the section's name",
    help: "names the program in logs and metrics; no two programs share one",
  },
  command: {
    kind: text,
    part: "worker",
    required: true,
    help: "the worker: split like a shell would, but run without one; may hold `%(process_num)02d` and `%(process_name)s`",
  },
  shell: { kind: onOff, part: "worker", default: false, help: "run `command` by `sh -c`" },
  process_name: {
    kind: text,
    part: "worker",
    default: "consumer_%(process_num)02d",
    help: "names one worker; the number is the lowest free one",
  },
  cwd: { kind: path, part: "worker", absent: "the daemon's", help: "working directory" },
  env: {
    kind: variables,
    part: "worker",
    absent: "the daemon's environment alone",
    help: "variables added to the environment; those of a program are added to the shared ones",
  },
  user: { kind: text, part: "worker", absent: "the daemon's", help: "user to run as; the daemon must be root" },
  stdout: { kind: text, part: "worker", default: "inherit", help: "`inherit`, `null`, or a file that is appended to" },
  stderr: { kind: text, part: "worker", default: "inherit", help: "the same for standard error" },
  stop_signal: { kind: signal, part: "worker", default: "SIGTERM", help: "asks a worker to finish and exit" },
  stop_target: {
    kind: choice("group", "leader"),
    part: "worker",
    default: "group",
    help: "who gets it; `leader` for workers that stop their own children. SIGKILL always goes to the group",
  },
  min_uptime: { kind: duration, part: "worker", default: "10s", help: "a worker that exits younger has crashed" },
  max_worker_age: {
    kind: someTime,
    part: "worker",
    absent: "no limit",
    help: "a worker this old is drained and replaced, one at a time",
  },
  max_worker_memory: {
    kind: someBytes,
    part: "worker",
    absent: "no limit",
    help: "so is one that takes this much, with its children; not before `min_uptime`. Without it one that grows for ever is replaced while memory is short",
  },
  max_worker_jobs: {
    kind: whole(1),
    part: "worker",
    absent: "no limit",
    help: "so is one that has finished so many messages, where the queue tells; RabbitMQ does not, so it is refused there",
  },
  exit_codes: { kind: exitCodes, part: "worker", default: [], help: "exits that are no crash at whatever age" },

  mode: { kind: choice("slo", "threshold", "hpa"), part: "policy", default: "slo", help: "how the pool is sized" },
  min_workers: { kind: whole(0), part: "policy", default: 0, help: "never fewer" },
  max_workers: { kind: whole(1), part: "policy", required: true, help: "never more, whatever the memory allows" },
  priority: {
    kind: integer,
    part: "policy",
    default: 0,
    help: "who gets memory first where it is not enough for all: higher before lower, and equals by how far each is behind its promise",
  },
  schedule: {
    kind: schedules,
    part: "policy",
    tomlOnly: true,
    default: [],
    help: "spans of time with another floor or ceiling, see [Schedules](#schedules)",
  },
  slo_drain_time: {
    kind: someTime,
    part: "policy",
    modes: SLO,
    absent: "required in mode `slo`, unless `slo_wait_time` is given",
    help: "how long the queue may take to empty: the promise that the pool is sized for",
  },
  slo_wait_time: {
    kind: someTime,
    part: "policy",
    modes: SLO,
    absent: "`slo_drain_time` is the promise",
    help: "how long a message may wait for a worker; not beside `slo_drain_time`. The queue has to tell how old its oldest message is: publishers set `timestamp`, the queue is classic",
  },
  alpha_mu: {
    kind: above(0, 1),
    part: "policy",
    default: 0.3,
    modes: SLO,
    help: "weight of the newest service rate; less is smoother",
  },
  alpha_lambda: {
    kind: above(0, 1),
    part: "policy",
    default: 0.3,
    modes: SLO,
    help: "weight of the newest arrival rate; less is smoother",
  },
  hysteresis: {
    kind: whole(0),
    part: "policy",
    default: 1,
    modes: SLO,
    help: "a wish this many workers away changes nothing, so that noise does not flap the pool",
  },
  cooldown_ticks: {
    kind: whole(0),
    part: "policy",
    default: 2,
    modes: STEPPED,
    help: "ticks between two changes: one has to settle before the next",
  },
  spike_backlog: {
    kind: whole(0),
    part: "policy",
    default: 1000,
    modes: SLO,
    help: "above this backlog growth does not wait for the cooldown",
  },
  max_step: {
    kind: step,
    part: "policy",
    default: "auto",
    modes: SLO,
    help: "most workers to add or remove at a tick; `auto`: one while the rates are inferred; once they are measured as many as it takes, and `hysteresis`, `cooldown_ticks` and `spike_backlog` do not count",
  },
  swap_ratio_cap: {
    kind: between(0, 1),
    part: "policy",
    default: 0.2,
    help: "no growth while more of the swap is used; 1 turns the brake off",
  },
  memory_pressure_cap: {
    kind: between(0, 1),
    part: "policy",
    default: 0.1,
    help: "no growth while somebody waits for memory for more than this share of ten seconds (`some avg10` of the kernel's pressure), until it is half of it; 1 turns the brake off",
  },
  depth_threshold: {
    kind: whole(0),
    part: "policy",
    default: 40,
    modes: THRESHOLD,
    help: "grow while the backlog is above it",
  },
  ram_ratio_cap: {
    kind: above(0, 1),
    part: "policy",
    default: 0.9,
    modes: THRESHOLD,
    help: "no growth while more of the memory is used",
  },
  target_queue_depth_per_worker: {
    kind: above(0),
    part: "policy",
    default: 15,
    modes: HPA,
    help: "waiting messages that one worker is expected to absorb",
  },
  target_utilisation: {
    kind: above(0, 1),
    part: "policy",
    default: 0.75,
    modes: HPA,
    help: "wanted share of busy slots",
  },
  threads_per_worker: {
    kind: whole(1),
    part: "policy",
    default: 4,
    modes: HPA,
    help: "messages that one worker handles at a time",
  },
  tolerance: {
    kind: between(0, 1),
    part: "policy",
    default: 0.1,
    modes: HPA,
    help: "a wish this close to the present count changes nothing",
  },
  scale_up_window: {
    kind: duration,
    part: "policy",
    default: "0s",
    modes: HPA,
    help: "grow only as far as all of this time agrees",
  },
  scale_down_window: {
    kind: duration,
    part: "policy",
    default: "5m",
    modes: HPA,
    help: "shrink only as far as all of this time agrees",
  },
} as const satisfies Readonly<Record<string, Key>>;

export type KeyName = keyof typeof KEYS;

export const KEY_NAMES = Object.keys(KEYS) as readonly KeyName[];

export const isKeyName = (name: string): name is KeyName => Object.hasOwn(KEYS, name);

/** Left to the system and its page cache when neither budget nor headroom is set, in mode `slo`. */
export const DEFAULT_RAM_HEADROOM = "2GB";

/** `min_workers` is the option `minWorkers`. */
type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

export type OptionName = Camel<KeyName>;

type Value<K extends Key> = K["kind"] extends Kind<infer T> ? T : never;

/** A checked program, with what it shares: durations in seconds, sizes in bytes. `undefined`: `absent` of the key holds. */
export type Options = {
  readonly [Name in KeyName as Camel<Name>]: (typeof KEYS)[Name] extends { required: true } | { default: unknown }
    ? Value<(typeof KEYS)[Name]>
    : Value<(typeof KEYS)[Name]> | undefined;
};

export const optionName = (name: KeyName): OptionName =>
  name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()) as OptionName;
