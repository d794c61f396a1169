/**
 * RabbitMQ for tests. `testVhost()` is a corner of the one broker of the run, `startBroker()` one of one's own that may be
 * killed. Put what needs it into `describeBroker(...)`, which is skipped, visibly, where RabbitMQ is not installed.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConfirmChannel, connect, type Options } from "amqplib";
import { describe, inject } from "vitest";
import {
  brokerIsInstalled,
  killNode,
  type NodeOptions,
  type RunningNode,
  rabbitmqctl,
  startNode,
} from "./broker-node.ts";
import type { Certificates } from "./certificates.ts";
import { CREDENTIALS } from "./password.ts";
import { waitFor } from "./wait-for.ts";

export const describeBroker = (title: string, tests: () => void): void => {
  if (brokerIsInstalled) describe(title, tests);
  else describe.skip(`${title} (skipped: rabbitmq-server and python3-pika are not installed)`, tests);
};

export interface Broker {
  /** With credentials of an administrator, and without a path: vhost `/`. */
  readonly amqpUrl: string;
  readonly managementUrl: string;
  /** The same over TLS, for clients that show a certificate of `certificates`. */
  readonly amqpsUrl: string;
  readonly managementTlsUrl: string;
  readonly certificates: Certificates;
  /** A request to the management API, `/api/...`; rejects unless it is answered with 2xx or 404. */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  ctl(...args: string[]): Promise<void>;
}

export interface OwnBroker extends Broker {
  /** SIGKILL, as a crash would have it. */
  kill(): Promise<void>;
  /** Again on the same ports and in the same folder, after a kill if it still runs; with other options if given. */
  restart(options?: NodeOptions): Promise<void>;
  /** SIGKILL, and the folder is removed. */
  stop(): Promise<void>;
}

/** Takes some ten seconds; the caller has to stop it. It does not outlive the process of the test. */
export async function startBroker(options: NodeOptions = {}): Promise<OwnBroker> {
  const folder = mkdtempSync(join(tmpdir(), "effiqueue-broker-"));
  const node = await startNode(folder, options);
  return {
    ...brokerOf(node),
    kill: () => killNode(folder),
    restart: async (changed = options) => {
      await killNode(folder);
      await startNode(folder, changed, node.ports);
    },
    stop: async () => {
      await killNode(folder);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface TestVhost extends Broker {
  readonly vhost: string;
  /** Of the vhost; as `connection` of a program, too. */
  readonly amqpUrl: string;
  declare(queue: string, options?: Options.AssertQueue): Promise<void>;
  /** Resolves when the broker has them all. */
  publish(queue: string, count: number, options?: Options.Publish): Promise<void>;
  /** Ready messages, as of now. */
  depth(queue: string): Promise<number>;
}

let made = 0;

/** A new vhost on the broker of this run, which is started if need be. Call it in `beforeAll` or in a test; it goes with the broker. */
export async function testVhost(): Promise<TestVhost> {
  return vhostOn(await sharedBroker());
}

/** The same on a broker of one's own. */
export async function vhostOn(broker: Broker): Promise<TestVhost> {
  made += 1;
  const vhost = `test-${process.pid}-${made}`;
  await broker.api("PUT", `/api/vhosts/${vhost}`);
  const amqpUrl = `${broker.amqpUrl}/${vhost}`;
  return {
    ...broker,
    vhost,
    amqpUrl,
    amqpsUrl: `${broker.amqpsUrl}/${vhost}`,
    declare: (queue, options) =>
      overChannel(amqpUrl, async (channel) => {
        await channel.assertQueue(queue, { durable: true, ...options });
      }),
    publish: (queue, count, options) =>
      overChannel(amqpUrl, async (channel) => {
        for (let i = 0; i < count; i += 1) {
          channel.sendToQueue(queue, Buffer.from(String(i)), { persistent: true, ...options });
        }
        await channel.waitForConfirms();
      }),
    depth: (queue) => overChannel(amqpUrl, async (channel) => (await channel.checkQueue(queue)).messageCount),
  };
}

async function overChannel<T>(url: string, work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
  const connection = await connect(url);
  try {
    return await work(await connection.createConfirmChannel());
  } finally {
    await connection.close();
  }
}

/** Whoever makes the folder starts it; the others wait for its record. */
async function sharedBroker(): Promise<Broker> {
  const { folder, ownerPid } = inject("sharedBroker");
  const record = join(folder, "node.json");
  if (claimed(join(folder, "claimed"))) {
    try {
      store(record, await startNode(folder, { ownerPid }));
    } catch (error) {
      store(record, { failed: String(error) });
    }
  }
  await waitFor(() => existsSync(record), { timeoutMs: 58_000, what: `the broker of this run in ${folder}` });
  const found = JSON.parse(readFileSync(record, "utf8")) as RunningNode | { failed: string };
  if ("failed" in found) throw new Error(`the broker of this run did not start: ${found.failed}`);
  return brokerOf(found);
}

function claimed(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

function store(path: string, value: unknown): void {
  writeFileSync(`${path}.draft`, JSON.stringify(value));
  renameSync(`${path}.draft`, path);
}

function brokerOf(node: RunningNode): Broker {
  const { ports, certificates } = node;
  const authorization = `Basic ${Buffer.from(CREDENTIALS).toString("base64")}`;
  return {
    amqpUrl: `amqp://${CREDENTIALS}@127.0.0.1:${ports.amqp}`,
    managementUrl: `http://127.0.0.1:${ports.management}`,
    amqpsUrl: `amqps://${CREDENTIALS}@localhost:${ports.amqps}`,
    managementTlsUrl: `https://localhost:${ports.managementTls}`,
    certificates,
    api: async (method, path, body) => {
      const answer = await fetch(`http://127.0.0.1:${ports.management}${path}`, {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text === "" ? undefined : (JSON.parse(text) as unknown);
    },
    ctl: (...args) => rabbitmqctl(node, ...args),
  };
}
