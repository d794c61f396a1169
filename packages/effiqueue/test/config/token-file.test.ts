import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTokenFile, TokenFileError } from "../../src/config/token-file.ts";
import { pipe } from "../support/pipe.ts";
import { tempDir } from "../support/temp-dir.ts";
import { load, problemsOf } from "./files.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

function fileOf(text: string, mode = 0o600): string {
  const file = join(tempDir(), "token");
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

describe("DESIGN 6.6: the file of the token", () => {
  it.each([
    [`${TOKEN}\n`, 0o600],
    [TOKEN, 0o400],
    [`  ${TOKEN}\r\n\n`, 0o640],
  ])("gives %j in mode %o", (text, mode) => {
    expect(readTokenFile(fileOf(text, mode))).toBe(TOKEN);
  });

  it.each([
    [TOKEN, 0o644, /every user of this machine may read or change it; chmod 640 \//],
    [TOKEN, 0o602, /every user/],
    ["short\n", 0o600, /a token has 16 characters at least, this has 5; make one/],
    ["", 0o600, /this has 0/],
    [`${TOKEN}\n${TOKEN}\n`, 0o600, /one word of printable ASCII/],
    ["ein Schlüssel für alle", 0o600, /one word/],
  ])("refuses %j in mode %o, and shows nothing of it", (text, mode, message) => {
    const file = fileOf(text, mode);
    const error = ((): unknown => {
      try {
        return readTokenFile(file);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(TokenFileError);
    expect(String(error)).toMatch(message);
    expect(String(error)).toContain(`metrics_token_file ${file}`);
    if (text !== "") expect(String(error)).not.toContain(text.trim());
  });

  it("says what is wrong with a file that cannot be read", () => {
    expect(() => readTokenFile(join(tempDir(), "nothing"))).toThrow(/there is no such file; make one: .*umask 027/);
    expect(() => readTokenFile(tempDir())).toThrow(/it is a folder/);
    expect(() => readTokenFile(pipe())).toThrow(/it is a pipe that nobody writes to; name a file/);
  });
});

const PROGRAM = `command = "x"\nqueue_connection = "amqp://localhost"\nqueue_name = "q"\nmax_workers = 1\nslo_drain_time = 9\n`;

describe("DESIGN 6.6: the names of the endpoint", () => {
  it("are a list in TOML, and a line in a Supervisor file", () => {
    expect(load(`metrics_hosts = ["w1.internal", "w1"]\n${PROGRAM}`).shared.metricsHosts).toEqual([
      "w1.internal",
      "w1",
    ]);
    const conf = `[effiqueue]\nmetrics_hosts = w1.internal, w1\n[program:q]\ncommand = x\nqueue_connection = amqp://localhost\nqueue_name = q\nmax_workers = 1\nslo_drain_time = 9\n`;
    expect(load(conf, { env: {} }, "x.conf").shared.metricsHosts).toEqual(["w1.internal", "w1"]);
  });

  it.each(['"w1"', '["w1:9464"]', '["http://w1"]', '[""]', "[1]"])("refuses %s", (value) => {
    expect(problemsOf(() => load(`metrics_hosts = ${value}\n${PROGRAM}`))).toEqual([
      expect.stringMatching(/effiqueue\.toml:1: metrics_hosts: expected a list of host names without ports/),
    ]);
  });
});
