// Writes docs/config.md from the table of keys (model/keys.ts) and that of Supervisor's (config/supervisor-keys.ts), so that
// the reference cannot be wrong. `--check` writes nothing and exits 1 when the file is stale. Needs no build.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = [
  "units",
  "model/quantities",
  "model/record",
  "model/kinds",
  "model/schedule",
  "model/keys",
  "config/supervisor-keys",
];
const REFERENCE = join(ROOT, "docs/config.md");

const INTRODUCTION = `# Configuration of effiQueue

Generated from \`packages/effiqueue/src/model/keys.ts\` by \`node scripts/generate-config.mjs\`; change it there.

A file that ends in \`.conf\`, \`.ini\` or \`.cfg\` is a [Supervisor file](#supervisor-files), any other is TOML.
Everything that is wrong with it is said at once: \`effiqueue validate-config --config FILE\`. The least there can be:

\`\`\`toml
command = "php bin/console messenger:consume async"
queue_connection = "amqp://app:\${RABBITMQ_PASSWORD}@localhost/%2F"
queue_name = "messages"
max_workers = 20
slo_drain_time = "2m"
\`\`\`

Several programs share the machine. What stands above the first \`[[program]]\` holds for all of them, unless one says otherwise;
variables of \`env\` are added to the shared ones. Keys under [The machine](#the-machine) belong above, for there is one of each.

\`\`\`toml
queue_connection = "amqp://app:\${RABBITMQ_PASSWORD}@localhost/%2F"
ram_budget = "8GB"
metrics_addr = "127.0.0.1:9464"

[[program]]
command = "php bin/console messenger:consume async"
queue_name = "messages"
max_workers = 20
slo_drain_time = "2m"

[[program]]
command = "node mailer.js --as %(process_name)s"
process_name = "mailer_%(process_num)02d"
queue_name = "mail"
mode = "threshold"
max_workers = 4
env = { APP_ENV = "prod" }
\`\`\`

Durations are \`250ms\`, \`10s\`, \`2m\`, \`1h\`, or a number of seconds. Sizes are \`512MB\`, \`12GB\`, \`1.5GiB\` with base 1024 however
they are spelled, or a number of bytes. What is out of range is refused, never rounded into it.

**Secrets.** \`\${NAME}\` becomes the variable of the environment in \`queue_connection\`, \`management_url\`, \`on_event\` and
\`on_event_header\`, and in no other key; where it is not set, the credential of that name that systemd has loaded (\`LoadCredential=NAME:FILE\`).
\`\${file:/run/secrets/NAME}\` becomes what stands in a file, but for the end of its line. User and password of a URL have to be percent-encoded; a variable may hold them as they are. They are taken out of everything that is printed.

**Workers.** \`command\`, \`cwd\`, \`env\`, \`stdout\` and \`stderr\` may hold \`%(process_num)02d\`, the lowest free number, \`%(process_name)s\`, and
\`%(program_name)s\`. \`%%(\` is \`%(\` itself. A command is split at spaces, with the quotes and backslashes of a shell, but nothing
else of one is there unless \`shell = true\`.
`;

const PARTS = {
  machine: ["The machine", "One of each for the whole process."],
  queue: ["The queue", ""],
  worker: ["The worker", ""],
  policy: ["The size of the pool", "The modes that read a key stand behind it; without one all do."],
};

const SCHEDULES = `## Schedules

A span of time with another floor or ceiling: more workers before people come to work, none while the database is copied.

\`\`\`toml
[[program]]
command = "node mailer.js"
queue_connection = "amqp://app:\${RABBITMQ_PASSWORD}@localhost/%2F"
queue_name = "mail"
max_workers = 20
slo_drain_time = "2m"

[[program.schedule]]
name = "office hours"
cron = "0 8 * * 1-5"
for = "10h"
time_zone = "Europe/Berlin"
min_workers = 4

[[program.schedule]]
cron = "30 2 * * *"
for = "20m"
time_zone = "UTC"
max_workers = 0
\`\`\`

In a file that is one program it is \`[[schedule]]\`, at the end of the file. It holds from the next tick on. Of several the highest floor and the lowest ceiling count; where they contradict
each other the ceiling does. Supervisor files cannot have schedules.

`;

const SUPERVISOR = `## Supervisor files

Each \`[program:NAME]\` is a program; \`[effiqueue]\` holds what stands above the programs in TOML. All keys above work, and a file with
a single program may hold them all in its section. Comments, continuation lines, quotes, \`%(ENV_NAME)s\`, \`%(here)s\`,
\`%(program_name)s\`, \`%(host_node_name)s\` and \`%(process_num)02d\` are read as Supervisor reads them. A key that neither knows is an error.

\`\`\`ini
[program:mailer]
command=php artisan queue:work --sleep=3
directory=/srv/app
environment=APP_ENV="prod"
numprocs=8
stopwaitsecs=60
queue_connection=amqp://app:\${RABBITMQ_PASSWORD}@localhost/%2F
queue_name=mail
slo_drain_time=2m
\`\`\`

`;

/** The modules of the tables, without a build: they import nothing but each other. */
async function tables() {
  const folder = mkdtempSync(join(tmpdir(), "effiqueue-keys-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    for (const name of SOURCES) {
      const source = readFileSync(join(ROOT, `packages/effiqueue/src/${name}.ts`), "utf8");
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          module: ts.ModuleKind.ESNext,
          target: ts.ScriptTarget.ES2023,
          rewriteRelativeImportExtensions: true,
        },
      });
      const path = join(folder, `${name}.js`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, outputText);
    }
    const load = (name) => import(pathToFileURL(join(folder, `${name}.js`)));
    const modules = ["model/keys", "model/schedule", "config/supervisor-keys"].map(load);
    return Object.assign({}, ...(await Promise.all(modules)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const cell = (text) => text.replaceAll("|", "\\|");

function row([name, { kind, absent, default: value, required, modes, help }]) {
  const otherwise = required ? "**required**" : value === undefined ? (absent ?? "") : `\`${JSON.stringify(value)}\``;
  const modeNote = modes === undefined ? "" : ` (${modes.join(", ")})`;
  return `| \`${name}\` | ${cell(help)}${modeNote} | ${cell(kind.expected)} | ${cell(otherwise)} |`;
}

function page({ KEYS, SCHEDULE_KEYS, STANDS_FOR, SPECIAL, NOT_READ, OTHER_SECTIONS }) {
  const parts = Object.entries(PARTS).map(([part, [title, note]]) => {
    const rows = Object.entries(KEYS).filter(([, key]) => key.part === part);
    return [
      `## ${title}\n`,
      ...(note === "" ? [] : [`${note}\n`]),
      "| key | | takes | otherwise |\n| --- | --- | --- | --- |",
      ...rows.map(row),
      "",
    ].join("\n");
  });
  const special = {
    autostart: "`false` leaves the program out",
    autorestart: "`false` and `unexpected` are a warning: workers are replaced while the queue needs them",
    redirect_stderr: "errors go where `stdout` goes",
  };
  const translated = [
    ...Object.entries(STANDS_FOR)
      .filter(([key, name]) => key !== name)
      .map(([key, name]) => `| \`${key}\` | \`${name}\` |`),
    ...SPECIAL.map((key) => `| \`${key}\` | ${special[key]} |`),
  ];
  const ignored = Object.entries(NOT_READ).map(([key, { why }]) => `| \`${key}\` | ${why} |`);
  const sections = Object.entries(OTHER_SECTIONS).map(([name, why]) => `| \`[${name}]\` | ${why} |`);
  return [
    INTRODUCTION,
    ...parts,
    SCHEDULES +
      ["| key | | takes | otherwise |", "| --- | --- | --- | --- |", ...Object.entries(SCHEDULE_KEYS).map(row)].join(
        "\n",
      ),
    "",
    SUPERVISOR + ["| Supervisor's key | is |", "| --- | --- |", ...translated].join("\n"),
    "",
    ["| a warning | because |", "| --- | --- |", ...ignored, ...sections].join("\n"),
    "",
  ].join("\n");
}

const fresh = page(await tables());
const present = existsSync(REFERENCE) ? readFileSync(REFERENCE, "utf8") : "";
if (process.argv.includes("--check")) {
  if (present !== fresh) {
    console.error("docs/config.md is stale: run node scripts/generate-config.mjs");
    process.exitCode = 1;
  }
} else {
  writeFileSync(REFERENCE, fresh);
}
