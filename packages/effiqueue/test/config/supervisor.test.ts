import { describe, expect, it } from "vitest";
import type { Config } from "../../src/config/validate.ts";
import { here, loadConf, only, problemsOf, warningsOf } from "./files.ts";

/** What every program needs and Supervisor has no word for, with nothing said about workers. */
const OURS = `queue_connection=amqp://localhost/%2F
queue_name=mail
slo_drain_time=60s`;

const conf = (body: string, ours = `${OURS}\nmax_workers=4`): string => `[program:mail]\n${body}\n${ours}\n`;

const worker = (config: Config, processNum = 0) => only(config).worker(processNum);

interface Style {
  readonly style: string;
  readonly text: string;
  readonly env?: Record<string, string>;
  readonly argv?: readonly string[];
  readonly variables?: Record<string, string>;
  readonly options?: Record<string, unknown>;
  readonly output?: { readonly stdout: unknown; readonly stderr: unknown };
}

const STYLES: readonly Style[] = [
  {
    style: "Laravel's documentation",
    text: `[program:laravel-worker]
process_name=%(program_name)s_%(process_num)02d
command=php /home/forge/app.com/artisan queue:work sqs --sleep=3 --tries=3 --max-time=3600
autostart=true
autorestart=true
stopasgroup=true
killasgroup=true
user=forge
numprocs=8
redirect_stderr=true
stdout_logfile=/home/forge/app.com/worker.log
stopwaitsecs=3600
${OURS}
`,
    argv: ["php", "/home/forge/app.com/artisan", "queue:work", "sqs", "--sleep=3", "--tries=3", "--max-time=3600"],
    options: { maxWorkers: 8, user: "forge", drainTimeout: 3600, stopTarget: "group" },
    output: { stdout: { file: "/home/forge/app.com/worker.log" }, stderr: { file: "/home/forge/app.com/worker.log" } },
  },
  {
    style: "Symfony Messenger, indented, with the old name of the ceiling",
    text: `[program:messenger]
    command=php /var/www/bin/console messenger:consume async --time-limit=3600
    process_name=consumer_%(process_num)02d
    # how many
    max_workers=6
    mode=threshold
    poll_interval=15s
    drain_timeout=45s
    ram_headroom=1GB
    max=75
    queue=rabbitmq
    queue_connection=amqp://guest:guest@localhost:5672
    queue_name=messages
`,
    argv: ["php", "/var/www/bin/console", "messenger:consume", "async", "--time-limit=3600"],
    options: { maxWorkers: 6, mode: "threshold", pollInterval: 15, drainTimeout: 45, ramHeadroom: 1024 ** 3 },
  },
  {
    style: "Celery's example, with comments at the ends of lines",
    text: conf(`; Set full path to celery program if using virtualenv
command=celery -A proj worker --loglevel=INFO   ; the worker
directory=/path/to/project
user=nobody
numprocs=1			; one
stdout_logfile=/var/log/celery/worker.log
stderr_logfile=/var/log/celery/worker.log
startsecs=10
stopwaitsecs = 600
stopasgroup=true`),
    argv: ["celery", "-A", "proj", "worker", "--loglevel=INFO"],
    options: { maxWorkers: 4, minUptime: 10, drainTimeout: 600, cwd: "/path/to/project", user: "nobody" },
  },
  {
    style: "a semicolon without a space in front is no comment",
    text: conf(`command=sh -c "a;b"`),
    argv: ["sh", "-c", "a;b"],
  },
  { style: "a hash behind a space is a comment too", text: conf("command=work # now"), argv: ["work"] },
  { style: "a hash inside a word is none", text: conf("command=work a#b"), argv: ["work", "a#b"] },
  {
    style: "quoted arguments",
    text: conf(`command=/bin/bash -c 'source /etc/profile && exec "$0"' "two words" es\\ caped ""`),
    argv: ["/bin/bash", "-c", `source /etc/profile && exec "$0"`, "two words", "es caped", ""],
  },
  {
    style: "a command over several lines",
    text: conf(`command=/usr/bin/work
    --queue mail   ; this one
    ; and a comment
    --verbose`),
    argv: ["/usr/bin/work", "--queue", "mail", "--verbose"],
  },
  {
    style: "an empty line inside a value",
    text: conf(`command=work\n  --one\n\n  --two\nuser=nobody`),
    argv: ["work", "--one", "--two"],
    options: { user: "nobody" },
  },
  {
    style: "colons instead of equals signs, and spaces around them",
    text: conf("command : work --x=1:2\nnumprocs   =   9"),
    argv: ["work", "--x=1:2"],
  },
  {
    style: "keys in capitals",
    text: conf("COMMAND=work\nUser=nobody\nStopSignal=int"),
    argv: ["work"],
    options: { user: "nobody", stopSignal: "SIGINT" },
  },
  {
    style: "Windows line ends, a byte order mark",
    text: `\uFEFF${conf("command=work --crlf\nuser=nobody")}`.replaceAll("\n", "\r\n"),
    argv: ["work", "--crlf"],
    options: { user: "nobody", queueName: "mail" },
  },
  {
    style: "variables of the environment",
    text: conf(`command=%(ENV_BIN)s/work --home %(ENV_HOME)s
environment=APP_ENV="%(ENV_STAGE)s",PATH="%(ENV_BIN)s:%(ENV_PATH)s"
user=%(ENV_USER)s`),
    env: { BIN: "/opt/bin", HOME: "/root", STAGE: "prod, eu", PATH: "/bin", USER: "app" },
    argv: ["/opt/bin/work", "--home", "/root"],
    variables: { APP_ENV: "prod, eu", PATH: "/opt/bin:/bin" },
    options: { user: "app" },
  },
  {
    style: "paths from the file's own folder, and percent signs that mean themselves",
    text: conf("command=%(here)s/work --at 50%% --name %(program_name)s_%(process_num)02d"),
    argv: [`${here}/work`, "--at", "50%", "--name", "mail_00"],
  },
  {
    style: "an environment of many kinds over several lines",
    text: conf(`command=work
environment =
    A=1,
    B="b, c",
    C='it is',  ; a comment
    D="x=y",
    PATH=/usr/bin:/bin`),
    variables: { A: "1", B: "b, c", C: "it is", D: "x=y", PATH: "/usr/bin:/bin" },
  },
  {
    style: "a trailing comma in the environment, and a worker's own number in it",
    text: conf(`command=work\nenvironment=N="%(process_num)d",LAST="1",`),
    variables: { N: "0", LAST: "1" },
  },
  {
    style: "the environment of the whole Supervisor, and of us, below the program's",
    text: `[supervisord]
environment=A="supervisord",B="supervisord",C="supervisord"
[effiqueue]
env=B="shared",C="shared"
${conf(`command=work\nenvironment=C="own"`)}`,
    variables: { A: "supervisord", B: "shared", C: "own" },
  },
  {
    style: "Docker: everything to the standard streams",
    text: `[supervisord]
nodaemon=true
${conf(`command=work
stdout_logfile=/dev/stdout
stdout_logfile_maxbytes=0
stderr_logfile=/dev/stderr
stderr_logfile_maxbytes=0`)}`,
    output: { stdout: "inherit", stderr: "inherit" },
  },
  {
    style: "no output at all",
    text: conf("command=work\nstdout_logfile=NONE\nstderr_logfile=/dev/null"),
    output: { stdout: "ignore", stderr: "ignore" },
  },
  {
    style: "a log file for each worker",
    text: conf("command=work\nstdout_logfile=/log/%(program_name)s_%(process_num)d.log\nstderr_logfile=AUTO"),
    output: { stdout: { file: "/log/mail_0.log" }, stderr: "inherit" },
  },
  {
    style: "signals by number, exit codes, the leader alone",
    text: conf("command=work\nstopsignal=15\nexitcodes=0, 2\nstopasgroup=false\nautorestart=unexpected"),
    options: { stopSignal: "SIGTERM", exitCodes: [0, 2], stopTarget: "leader" },
  },
  {
    style: "an address whose vhost is percent-encoded, beside Supervisor's own percent signs",
    text: conf(
      "command=date +%%s",
      `max_workers=1\nslo_drain_time=1m\nqueue_name=mail\nqueue_connection=amqp://h/%2Fa`,
    ),
    argv: ["date", "+%s"],
    options: { queueConnection: "amqp://h/%2Fa" },
  },
  {
    style: "a section that comes twice goes on",
    text: `${conf("command=work")}[supervisorctl]\n[program:mail]\nuser=nobody\n`,
    argv: ["work"],
    options: { user: "nobody" },
  },
  {
    style: "a shell",
    text: conf(`command=cd /srv && exec work > "/tmp/%(process_num)d"\nshell=yes`),
    argv: [`cd /srv && exec work > "/tmp/0"`],
    options: { shell: true },
  },
];

describe("DESIGN 5.3: Supervisor files mean here what they mean there", () => {
  it.each(STYLES)("$style", ({ text, env = {}, argv, variables, options, output }) => {
    const config = loadConf(text, { env });
    const { command, output: outputs } = worker(config);
    if (argv) expect([command.file, ...command.args]).toEqual(argv);
    if (variables) expect(command.env).toEqual(variables);
    if (output) expect(outputs).toEqual(output);
    if (options) expect(only(config).options).toMatchObject(options);
  });

  it("runs several programs, each under its own name", () => {
    const text = `[effiqueue]
queue_connection=amqp://localhost
poll_interval=20s
max_workers=2
mode=hpa
[group:all]
programs=one,two
[program:one]
command=a
queue_name=q
[program:two]
command=b
queue_name=q
stopwaitsecs=5
`;
    const { programs, shared } = loadConf(text);
    expect(shared.pollInterval).toBe(20);
    expect(programs.map(({ name, options }) => [name, options.maxWorkers, options.drainTimeout])).toEqual([
      ["one", 2, 30],
      ["two", 2, 5],
    ]);
  });

  it("leaves out a program that is not to be started, and says so", () => {
    const text = `${conf("command=work")}[program:other]\ncommand=x\nautostart=false\n${OURS}\nmax_workers=1\n`;
    const config = loadConf(text);
    expect(only(config).name).toBe("mail");
    expect(warningsOf(config)).toEqual(["supervisor.conf:9: [program:other]: autostart: the program is left out"]);
    expect(problemsOf(() => loadConf(conf("command=work\nautostart=off")))).toEqual([
      "supervisor.conf: leaves no program to run: every one has autostart=false",
    ]);
  });

  it("takes process-wide keys inside the only program, but not inside one of several", () => {
    const one = conf("command=work\nmetrics_addr=127.0.0.1:9464");
    expect(loadConf(one).shared.metricsAddr).toBe("127.0.0.1:9464");
    expect(problemsOf(() => loadConf(`${one}[program:b]\ncommand=b\n${OURS}\nmax_workers=1\n`))).toEqual([
      "supervisor.conf:3: [program:mail]: metrics_addr: holds for the whole process; move it to [effiqueue]",
    ]);
  });
});

describe("DESIGN 5.3: nothing in a Supervisor file is passed over in silence", () => {
  const warns = (lines: string) => warningsOf(loadConf(conf(`command=work\n${lines}`)));

  it.each([
    ["max=9", "max: not read, because max_workers says the same"],
    ["numprocs=9", "numprocs: not read, because max_workers says the same"],
    ["priority=1", "priority: not read: programs start in no order; how they share the memory is set in a TOML file"],
    ["startretries=3", "startretries: not read: a worker that crashes is started again"],
    ["umask=022", "umask: not read: workers have the umask of the daemon"],
    ["stdout_logfile_maxbytes=50MB", "stdout_logfile_maxbytes: not read: output files are not rotated"],
    ["stdout_events_enabled=true", "stdout_events_enabled: not read: output raises no events"],
    ["killasgroup=false", "killasgroup: not read: SIGKILL always goes to the whole group"],
    ["autorestart=false", "autorestart: a worker that exits is replaced whenever the queue needs one"],
    ["stdout_logfile=AUTO", "stdout_logfile: output goes where the daemon's goes"],
    ["user=a\nuser=b", "user: comes twice; this one holds"],
    ["redirect_stderr=true\nstderr_logfile=/x", "stderr_logfile: not read, because redirect_stderr sends errors to"],
  ])("warns of %j", (lines, warning) => {
    const line = 2 + lines.split("\n").length;
    expect(warns(lines)).toEqual([expect.stringContaining(`supervisor.conf:${line}: [program:mail]: ${warning}`)]);
  });

  it("maps the old name of the ceiling, with a warning", () => {
    const config = loadConf(conf("command=work\nmax=9", OURS));
    expect(only(config).options.maxWorkers).toBe(9);
    expect(warningsOf(config)).toEqual(["supervisor.conf:3: [program:mail]: max: is the old name of max_workers"]);
  });

  it.each(["stdout_logfile_maxbytes=0", "killasgroup=true", "autorestart=true", "stdout_events_enabled=false"])(
    "says nothing of %s, with which nothing is lost",
    (line) => {
      expect(warns(line)).toEqual([]);
    },
  );

  it.each(["unix_http_server", "rpcinterface:supervisor", "supervisorctl", "ctlplugin:x"])(
    "says nothing of the section [%s], which every file has for Supervisor alone",
    (section) => {
      expect(warningsOf(loadConf(`${conf("command=work")}[${section}]\nfile=/run/supervisor.sock\n`))).toEqual([]);
    },
  );

  it.each(["supervisord", "inet_http_server", "include", "group:x", "eventlistener:x"])(
    "warns of the section [%s]",
    (section) => {
      const text = `${conf("command=work")}[${section}]\nfiles=conf.d/*.conf\n`;
      expect(warningsOf(loadConf(text))).toEqual([expect.stringContaining(`supervisor.conf:7: [${section}]: `)]);
    },
  );

  it("names the key that Supervisor has for a missing one of ours", () => {
    const text = conf("command=work", OURS);
    expect(problemsOf(() => loadConf(text))).toEqual([
      "supervisor.conf:1: [program:mail]: max_workers: missing; expected a whole number >= 1; numprocs says the same",
    ]);
  });

  it("reads lists as Supervisor writes them, and as the messages show them", () => {
    const text = conf('command=work\nexitcodes=[0, 2]\nmetrics_hosts=["a.internal", "b.internal"]');
    expect(loadConf(text).programs[0]?.options).toMatchObject({
      exitCodes: [0, 2],
      metricsHosts: ["a.internal", "b.internal"],
    });
  });

  it("tells everything that is wrong at once", () => {
    const text = `comand=x
[progam:x]
command=x
[program:a b]
command=%(ENV_NOPE)s "x
numproc=3
numprocs=%(ENV_N)s
autostart=maybe
autorestart=sometimes
stopsignal=TREM
startsecs=-1
stopasgroup=maybe
environment=A=b@c
process_name=%(process_nun)02d
directory=/srv/%x
max_workers=two
min_workers=1.5
nonsense
[effiqueue]
command_line=x
numprocs=4
`;
    const said = problemsOf(() => loadConf(text)).map((problem) => problem.replace("supervisor.conf:", ""));
    expect(said).toEqual([
      "1: expected a section such as [program:NAME] first; a TOML file has to end in .toml",
      "2: [progam:x]: is no section, did you mean [program:NAME]?",
      "4: [program:a b]: a program's name holds no space, colon or slash",
      "4: [program:a b]: queue_connection: missing; expected a URL such as amqp://HOST",
      "4: [program:a b]: queue_name: missing; expected some text",
      expect.stringMatching(/^4: \[program:a b\]: slo_drain_time: missing; expected in mode "slo" a duration/),
      "5: [program:a b]: command: the environment variable NOPE is not set; export it where effiqueue is started",
      "6: [program:a b]: numproc: is no key, did you mean numprocs?",
      "8: [program:a b]: autostart: expected true or false",
      "9: [program:a b]: autorestart: expected true, false or unexpected",
      expect.stringMatching(/^10: \[program:a b\]: stopsignal: expected a signal: .*, got "TREM"$/),
      expect.stringMatching(/^11: \[program:a b\]: startsecs: expected a duration .*, got "-1"$/),
      "12: [program:a b]: stopasgroup: expected true or false",
      expect.stringMatching(/^13: \[program:a b\]: environment: expected KEY="value",KEY2="value2", with quotes/),
      "14: [program:a b]: process_name: %(process_nun)02d is no known expression; did you mean %(process_num)s?",
      "15: [program:a b]: directory: a % that means itself is written %% here",
      '16: [program:a b]: max_workers: expected a whole number >= 1, got "two"',
      '17: [program:a b]: min_workers: expected a whole number >= 0, got "1.5"',
      "18: expected KEY=VALUE, [SECTION], or more of the value above, indented deeper than its key",
      "20: [effiqueue]: command_line: is no key",
      "21: [effiqueue]: numprocs: is no key, did you mean max_workers?",
    ]);
  });

  it("says where programs may be when there are none", () => {
    expect(problemsOf(() => loadConf("[supervisord]\n[include]\nfiles = conf.d/*.conf\n"))).toEqual([
      "supervisor.conf: holds no [program:NAME]; if they are in files that it includes, give one of those",
    ]);
  });

  it("never shows what a variable of the environment holds", () => {
    const env = { N: "hunter2" };
    const problems = problemsOf(() => loadConf(conf("command=work\nstopwaitsecs=%(ENV_N)s"), { env }));
    expect(problems).toEqual([expect.stringMatching(/stopwaitsecs: expected a duration .* got "%\(ENV_N\)s"$/)]);
  });
});
