import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redact, redactor, secretsOf } from "../../src/model/redact.ts";
import { pipe } from "../support/pipe.ts";
import { fileOf, here, load, loadConf, only, problemsOf, warningsOf } from "./files.ts";

const withUrl = (url: string, key = "queue_connection"): string =>
  `command = "w"\nqueue_name = "q"\nmax_workers = 1\nmode = "hpa"\n${key} = ${JSON.stringify(url)}\n`;

describe("DESIGN 5.4: variables in URLs", () => {
  it("are put in for queue_connection and management_url", () => {
    const env = { USER: "u", PASSWORD: "p%40ss", MGMT: "https://a:b@h:15671" };
    const text = `${withUrl("amqp://\${USER}:\${PASSWORD}@h/v")}management_url = "\${MGMT}"\n`;
    const config = load(text, { env });
    expect(only(config).options).toMatchObject({
      queueConnection: "amqp://u:p%40ss@h/v",
      managementUrl: "https://a:b@h:15671",
    });
    expect(config.secrets).toEqual(["p%40ss", "p@ss", "b"]);
  });

  it("are not looked for in what they hold", () => {
    expect(only(load(withUrl("amqp://u:${P}@h"), { env: { P: "a${B}$&" } })).options.queueConnection).toBe(
      "amqp://u:a${B}$&@h",
    );
  });

  it("may be a password as it is, with all that ends one in a URL, or an escaped one", () => {
    const plain = "a@b/c?d#e[f]g:h\\i j%k\nl";
    const url = only(load(withUrl("amqp://u:${P}@host/v"), { env: { P: plain } })).options.queueConnection;
    const { hostname, pathname, password } = new URL(url);
    expect([hostname, pathname, decodeURIComponent(password)]).toEqual(["host", "/v", plain]);
    expect(load(withUrl("amqp://u:${P}@host/v"), { env: { P: plain } }).secrets).toContain(plain);
    const whole = only(load(withUrl("amqp://${UP}@h/${V}"), { env: { UP: "u:p@%2F", V: "a%2Fb" } }));
    expect(whole.options.queueConnection).toBe("amqp://u:p%40%2F@h/a%2Fb");
  });

  it.each(["amqp://u:p@s/w@h", "amqp://u:1/w@h", "amqp://u:1?w@h", "amqp://u:1#w@h/v"])(
    "are needed for a password that would end the host: %s",
    (url) => {
      const [problem] = problemsOf(() => load(withUrl(url)));
      expect(problem).toMatch(/queue_connection: is no URL; special characters .* percent-encoded/);
      expect(problemsOf(() => load(withUrl("${URL}"), { env: { URL: url } }))).toEqual([problem]);
    },
  );

  it.each([
    ["amqp://u:${NOPE}@h", "the environment variable NOPE is not set; export it where effiqueue is started"],
    ["amqp://u:${NO PE}@h", "holds a ${ that is not followed by the name of a variable, or file: and a path, and a }"],
    ["amqp://u:${}@h", "holds a ${ that is not followed by the name of a variable, or file: and a path, and a }"],
    ["amqp://u:${P", "holds a ${ that is not followed by the name of a variable, or file: and a path, and a }"],
  ])("that cannot be put in are named: %s", (url, why) => {
    expect(problemsOf(() => load(withUrl(url), { env: { P: "hunter2" } }))).toEqual([
      `effiqueue.toml:5: queue_connection: ${why}`,
    ]);
  });
});

describe("DESIGN 5.4: secrets that stand in files", () => {
  const url = (text: string, env: Record<string, string> = {}) =>
    only(load(withUrl(text), { env })).options.queueConnection;

  it("are put in by the path of the file, without the end of its line", () => {
    const path = fileOf("s3cr3t/w@rd\n", "password");
    expect(url(`amqp://u:\${file:${path}}@h/v`)).toBe("amqp://u:s3cr3t%2Fw%40rd@h/v");
    expect(load(withUrl(`amqp://u:\${file:${path}}@h`)).secrets).toContain("s3cr3t/w@rd");
    expect(url(`\${file:${fileOf("amqp://u:p@h/v\r\n", "url")}}`)).toBe("amqp://u:p@h/v");
  });

  it("are credentials of the service manager under the name of a variable that is not set", () => {
    fileOf("from-a-credential", "RABBITMQ_PASSWORD");
    const env = { CREDENTIALS_DIRECTORY: here };
    expect(url("amqp://u:${RABBITMQ_PASSWORD}@h", env)).toBe("amqp://u:from-a-credential@h");
    expect(url("amqp://u:${RABBITMQ_PASSWORD}@h", { ...env, RABBITMQ_PASSWORD: "set" })).toBe("amqp://u:set@h");
  });

  it.each<[string, (path: string) => string, string]>([
    ["is not there", (path) => `\${file:${path}/none}`, "there is no file FOLDER/none to read a secret from"],
    ["is not named in full", () => "${file:secret}", "is named in full, from its /, not secret"],
    ["is empty", () => `\${file:${fileOf("\n", "empty")}}`, "FOLDER/empty is empty, where a secret was expected"],
    ["is a folder", (path) => `\${file:${path}}`, "FOLDER cannot be read for a secret: EISDIR"],
    ["is a pipe", () => `\${file:${pipe()}}`, "is a pipe that nobody writes to, where a secret was expected"],
    ["never ends", () => "${file:/dev/zero}", "/dev/zero holds more than 65536 bytes, which is no secret"],
    ["is a credential that is missing", () => "${NOPE}", "nor is there a credential FOLDER/NOPE"],
  ])("are told by their file when it %s", (_, text, why) => {
    const problems = problemsOf(() =>
      load(withUrl(`amqp://u:${text(here)}@h`), { env: { CREDENTIALS_DIRECTORY: here } }),
    );
    expect(problems.map((problem) => problem.replaceAll(here, "FOLDER"))).toEqual([
      expect.stringContaining(why) as string,
    ]);
  });
});

describe("DESIGN 5.4: the address of messages", () => {
  const config = (lines: string): string => `${lines}\n${withUrl("amqp://h")}`;

  it("and its header may hold variables, and are secrets as a whole", () => {
    const env = { KEY: "T0/B0/aXb", TOKEN: "s3cr3t-t0k3n" };
    const text =
      'on_event = "https://hooks.example/services/${KEY}?a=1"\non_event_header = "Authorization: Bearer ${TOKEN}"';
    const { shared, secrets } = load(config(text), { env });
    expect(shared.onEvent).toBe("https://hooks.example/services/T0/B0/aXb?a=1");
    expect(shared.onEventHeader).toBe("Authorization: Bearer s3cr3t-t0k3n");
    const shown = redactor(secrets)(`POST ${shared.onEvent ?? ""} with s3cr3t-t0k3n failed`);
    expect(shown).toBe("POST https://hooks.example*** with *** failed");
  });

  it.each([
    [
      'on_event = "ftp://h"',
      "on_event: expected a URL such as https://HOST, got ftp://..., not shown because it may hold a password",
    ],
    [
      'on_event_header = "hunter2"',
      "on_event_header: expected a header such as Authorization: Bearer TOKEN, got something else, not shown because it may hold a password",
    ],
    [
      'on_event_header = "a: b\\nc: d"',
      "on_event_header: expected a header such as Authorization: Bearer TOKEN, got something else, not shown because it may hold a password",
    ],
    [
      'on_event = "https://h/${NOPE}"',
      "on_event: the environment variable NOPE is not set; export it where effiqueue is started",
    ],
  ])("is refused without being shown: %s", (line, problem) => {
    expect(problemsOf(() => load(config(line)))).toEqual([`effiqueue.toml:1: ${problem}`]);
  });

  it("has no place in a program", () => {
    const text = `[[program]]\n${withUrl("amqp://h")}on_event = "https://h"\n`;
    expect(problemsOf(() => load(text)).join()).toContain("on_event: holds for the whole process; move it");
  });
});

/** Anything that people or generators make passwords of, long enough not to be in a message by chance. */
const password = fc
  .string({
    unit: fc.constantFrom(..."abcXYZ019!#$%&()+,-./:;<=>?@[]^_{|}~ '\"`\\".split("")),
    minLength: 12,
    maxLength: 24,
  })
  .filter((text) => !text.includes("${"));

describe("DESIGN 5.4: a password is never shown", () => {
  it("in a message about a wrong address, whatever it is made of", () => {
    fc.assert(
      fc.property(password, fc.constantFrom("http://", "amqp://", "amq://", "", "amqp:/"), (secret, scheme) => {
        const text = withUrl(`${scheme}user:${secret}@ho st`);
        const [problem, ...others] = problemsOf(() => load(text));
        expect(others).toEqual([]);
        expect(problem).toContain("effiqueue.toml:5: queue_connection: ");
        expect(problem).not.toContain(secret);
      }),
      { numRuns: 100 },
    );
  });

  it("in a message about an address that a variable made wrong", () => {
    fc.assert(
      fc.property(password, (secret) => {
        const url = "amqp://user:${P}@ho st";
        const [problem] = problemsOf(() => load(withUrl(url), { env: { P: secret } }));
        expect(problem).toContain("queue_connection");
        expect(problem).not.toContain(secret);
      }),
      { numRuns: 50 },
    );
  });

  it("where the host is missing, so that nothing looks like a password", () => {
    expect(problemsOf(() => load(withUrl("http://user:hunter2")))).toEqual([
      "effiqueue.toml:5: queue_connection: expected a URL such as amqp://HOST, got http://..., not shown because it may hold a password",
    ]);
    expect(problemsOf(() => load(withUrl("${P}"), { env: { P: "hunter2" } }))).toEqual([
      "effiqueue.toml:5: queue_connection: expected a URL such as amqp://HOST, got what ${P} holds",
    ]);
  });

  it("in an environment, a label or advice", () => {
    const env = `env = { DSN = 1, PASSWORD = "hunter2" }\n`;
    expect(problemsOf(() => load(`${withUrl("amqp://h")}${env}`)).join()).not.toContain("hunter2");
    const named = withUrl("amqp://u:hunter2@h").replace('"q"', '"amqp://u:hunter2@h"');
    expect(problemsOf(() => load(`${named}[[program]]\nmax_workers = 0\n`)).join()).not.toContain("hunter2");
    expect(warningsOf(load(named.replace('"w"', '"w ${X} amqp://u:hunter2@h"'))).join()).not.toContain("hunter2");
  });
});

describe("DESIGN 5.4: redaction", () => {
  it.each([
    ["connect to amqp://u:p@h:1/v failed", "connect to amqp://***@h:1/v failed"],
    ["amqps://user@h", "amqps://***@h"],
    ["a http://u:p@a and https://x:y@b", "a http://***@a and https://***@b"],
    ["amqp://u:p@ss@h", "amqp://***@h"],
    ["amqp://u:p/w@h", "amqp://***@h"],
    ['"amqp://u:p@h"', '"amqp://***@h"'],
    ["GET /x?token=abc&a=1", "GET /x?token=***&a=1"],
    ["work --password=abc --db_password=x", "work --password=*** --db_password=***"],
    ["http://h/path and a@b", "http://h/path and a@b"],
    ["no secret: here", "no secret: here"],
  ])("of %j", (text, redacted) => {
    expect(redact(text)).toBe(redacted);
    expect(redact(redacted)).toBe(redacted);
  });

  it("finds the password of an address, as it is written and as it is meant", () => {
    expect(secretsOf("amqp://u:p%40s@h")).toEqual(["p%40s", "p@s"]);
    expect(secretsOf("amqp://u:p:q@s@h")).toEqual(["p:q@s"]);
    expect(secretsOf("amqp://u:100%@h")).toEqual(["100%"]);
    for (const url of ["amqp://u@h", "amqp://h", "amqp://u:@h", ""]) expect(secretsOf(url)).toEqual([]);
  });

  it("takes a known password out of any text, in both of its forms", () => {
    const plain = password.filter((secret) => !secret.includes("*"));
    fc.assert(
      fc.property(plain, fc.string(), fc.string(), (secret, before, after) => {
        const clean = redactor(secretsOf(`amqp://user:${encodeURIComponent(secret)}@h`));
        expect(clean(`${before}${secret}${after}`)).not.toContain(secret);
        expect(clean(`${before}${encodeURIComponent(secret)}${after}`)).not.toContain(encodeURIComponent(secret));
      }),
    );
  });

  it("leaves the alphabet alone when a password is a single letter", () => {
    expect(redactor(["a"])("a cat")).toBe("a cat");
  });
});

describe("DESIGN 5.4: who connects to nothing", () => {
  const text =
    'command = "w"\nqueue_connection = "amqp://u:${NOPE}@h"\nqueue_name = "q"\nmax_workers = 3\nmode = "hpa"\n' +
    'management_url = "${NOPE}"\non_event = "https://h/${NOPE}"\non_event_header = "A: ${NOPE}"\n';

  it("needs none of the variables, and knows all the rest", () => {
    const config = load(text, { env: {}, secrets: false });
    expect(only(config).options).toMatchObject({ queueName: "q", maxWorkers: 3, managementUrl: undefined });
    expect(config.secrets).toEqual([]);
  });

  it("needs none that a Supervisor file takes in its own way", () => {
    const conf =
      "[program:w]\ncommand=w\nnumprocs=3\nmode=hpa\nqueue_name=q\nqueue_connection=amqp://u:%(ENV_NOPE)s@h\n";
    expect(problemsOf(() => loadConf(conf, { env: {} }))).toHaveLength(1);
    expect(only(loadConf(conf, { env: {}, secrets: false })).options).toMatchObject({ queueName: "q", maxWorkers: 3 });
  });

  it("is told what else is wrong", () => {
    const broken = text.replace("queue_connection", "queue_conection").replace("max_workers = 3", "max_workers = 0");
    const keys = problemsOf(() => load(broken, { env: {}, secrets: false })).map((each) => each.split(": ")[1]);
    expect(keys).toEqual(["queue_connection", "queue_conection", "max_workers"]);
  });
});
