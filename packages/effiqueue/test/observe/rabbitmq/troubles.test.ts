import { describe, expect, it } from "vitest";
import { RabbitError } from "../../../src/observe/rabbitmq/errors.ts";
import {
  type AskedQueue,
  amqpTrouble,
  answerTrouble,
  bothFailed,
  socketTrouble,
} from "../../../src/observe/rabbitmq/troubles.ts";

const management: AskedQueue = {
  whom: "the management API at http://broker:15672",
  isManagement: true,
  vhost: "/",
  queue: "q",
};
const amqp: AskedQueue = { whom: "amqp://broker:5672", isManagement: false, vhost: "/", queue: "q" };
const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe("DESIGN 7.4: troubles are told apart, each with its remedy", () => {
  it.each([
    ["ECONNREFUSED", "unreachable"],
    ["ENOTFOUND", "unreachable"],
    ["EAI_AGAIN", "unreachable"],
    ["EHOSTUNREACH", "unreachable"],
    ["ECONNRESET", "unreachable"],
    ["ETIMEDOUT", "timeout"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
    ["HPE_INVALID_CONSTANT", "not-json"],
    ["EMFILE", "other"],
  ])("a socket that fails with %s: %s", (code, expected) => {
    expect(socketTrouble(management, failure("it failed", code)).code).toBe(expected);
  });

  it.each([
    [401, "application/json", '{"error":"not_authorized","reason":"Login failed"}', "unauthorised", "password"],
    [
      401,
      "application/json",
      '{"error":"not_authorised","reason":"Not management user"}',
      "unauthorised",
      "tag management",
    ],
    [
      401,
      "application/json",
      '{"reason":"User not authorised to access virtual host"}',
      "forbidden",
      "set_permissions",
    ],
    [401, "text/html", "<h1>nginx</h1>", "unauthorised", "check user and password"],
    [403, "application/json", "{}", "forbidden", "set_permissions"],
    [404, "application/json", '{"error":"Object Not Found","reason":"Not Found"}', "missing-vhost", "vhost"],
    [404, "text/html", "<h1>nginx</h1>", "not-json", "path prefix"],
    [200, "text/html", "<html>", "not-json", "proxy"],
    [302, "", "", "not-json", "proxy"],
    [500, "application/json", '{"error":"internal"}', "other", "log of the broker"],
    [503, "application/json", "[]", "other", "503"],
  ])("an answer of %i, %s, %s: %s", (status, type, body, code, word) => {
    const trouble = answerTrouble(management, { status, type, body });
    expect(trouble).toMatchObject({ code });
    expect(trouble?.message).toContain(word);
  });

  it("takes JSON with a good status for an answer", () => {
    expect(
      answerTrouble(management, { status: 200, type: "application/json; charset=utf-8", body: "[]" }),
    ).toBeUndefined();
  });

  // The messages are those of the client and the broker, word by word.
  it.each([
    [
      'Handshake terminated by server: 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN."',
      "unauthorised",
    ],
    ["Expected ConnectionOpenOk; got <ConnectionClose channel:0>", "missing-vhost"],
    [
      `Operation failed: QueueDeclare; 404 (NOT-FOUND) with message "NOT_FOUND - no queue 'q' in vhost '/'"`,
      "missing-queue",
    ],
    [
      `Operation failed: QueueDeclare; 403 (ACCESS-REFUSED) with message "ACCESS_REFUSED - access to queue 'q' in vhost '/' refused"`,
      "forbidden",
    ],
    ["Socket closed abruptly during opening handshake", "unreachable"],
    ["Channel closed", "unreachable"],
    ["Connection closed: 320 (CONNECTION-FORCED) with message", "unreachable"],
    ["Frame size exceeds frame max", "other"],
  ])("AMQP: %s", (message, code) => {
    expect(amqpTrouble(amqp, failure(message)).code).toBe(code);
  });

  it("names both ways when both fail, AMQP first, for it speaks for the broker", () => {
    const refused = socketTrouble(amqp, failure("", "ECONNREFUSED"));
    const html = new RabbitError("not-json", "the management API answers with text/html", "-");
    const both = bothFailed(refused, html);
    expect(both.code).toBe("unreachable");
    expect(both.message).toMatch(/amqp:.*ECONNREFUSED.*text\/html/);
  });

  it("believes the management API about a vhost that AMQP just does not open", () => {
    const closed = amqpTrouble(amqp, failure("Expected ConnectionOpenOk; got <ConnectionClose channel:0>"));
    const forbidden = new RabbitError("forbidden", "forbids", "-");
    expect(bothFailed(closed, forbidden)).toBe(forbidden);
  });
});
