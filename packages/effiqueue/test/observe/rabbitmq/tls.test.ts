import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { describeBroker, type TestVhost, testVhost } from "../../support/broker.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { pipe } from "../../support/pipe.ts";
import { tcpProxy } from "../../support/tcp-proxy.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { openQueue } from "./open-queue.ts";

let vhost: TestVhost;

beforeAll(async () => {
  vhost = await testVhost();
  await vhost.declare("work");
});

describeBroker("DESIGN 7.1: TLS with an authority of one's own and a certificate of the client", () => {
  /** The broker asks for a certificate on both its ports. */
  const files = () => {
    const { ca, client } = vhost.certificates;
    return { tlsCa: ca, tlsCert: client.cert, tlsKey: client.key };
  };
  const open = (options: object) =>
    openQueue({ connection: vhost.amqpsUrl, managementUrl: vhost.managementTlsUrl, ...files(), ...options });

  it("reads by both ways", async () => {
    const { value, events } = open({});
    expect(await value()).toMatchObject({ ready: 0, unacked: 0 });
    expect(await open({ management: false }).value()).toMatchObject({ ready: 0, unacked: null });
    expect(events.names("observe.source")).toEqual([]);
  });

  it.each(["AMQP alone", "both"])("refuses a server that the authority does not vouch for (%s)", async (ways) => {
    const { ca } = makeCertificates(join(tempDir(), "other"));
    const { trouble } = open({ tlsCa: ca, management: ways === "both" });
    expect(await trouble()).toMatchObject({ code: "tls" });
  });

  it("refuses a server whose certificate is for another name", async () => {
    const proxy = await tcpProxy(Number(new URL(vhost.amqpsUrl).port), "127.0.0.2");
    const connection = vhost.amqpsUrl.replace(/localhost:\d+/, `127.0.0.2:${proxy.port}`);
    const { code, message } = await open({ connection, management: false }).trouble();
    expect({ code, message }).toMatchObject({ code: "tls", message: expect.stringContaining("ALTNAME") as string });
  });

  it("says that a certificate of the client is missing", async () => {
    for (const management of [true, false]) {
      expect(await open({ tlsCert: undefined, tlsKey: undefined, management }).trouble()).toMatchObject({
        code: "tls",
      });
    }
  });

  it("names a file that cannot be read, and reads it when it is there", async () => {
    const path = join(tempDir(), "no-such.pem");
    const { trouble } = open({ tlsCa: path });
    const { code, message } = await trouble();
    expect({ code, message }).toMatchObject({ code: "tls", message: expect.stringContaining(path) as string });
  });

  it.each([
    ["a pipe", () => pipe()],
    ["a device without end", () => "/dev/zero"],
  ])("waits for no certificate that is %s", async (_, path) => {
    const { code, message } = await open({ tlsCa: path() }).trouble();
    expect({ code, message }).toMatchObject({
      code: "tls",
      message: expect.stringContaining("it is no regular file") as string,
    });
  });

  it("says that a port without TLS speaks no TLS", async () => {
    const managementUrl = vhost.managementUrl.replace("http:", "https:");
    const connection = vhost.amqpUrl.replace("amqp:", "amqps:");
    expect(await open({ managementUrl, connection }).trouble()).toMatchObject({ code: "tls" });
  });
});
