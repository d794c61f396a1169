/**
 * A private RabbitMQ node on loopback: own ports, name, epmd and folder. It is one process group whose leader is a shell that
 * watches over the test run, so that nothing is left of it however the run ends.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { identityOf, livenessOf } from "../../src/act/platform/identity.ts";
import type { ProcessIdentity } from "../../src/model/worker.ts";
import { type Certificates, makeCertificates } from "./certificates.ts";
import { killIfThere } from "./kill-if-there.ts";
import { CREDENTIALS, PASSWORD } from "./password.ts";
import { until } from "./until.ts";
import { waitFor } from "./wait-for.ts";

const PROGRAMS = "/usr/lib/rabbitmq/bin";

/** Debian's packages `rabbitmq-server` and, for workers in another language, `python3-pika`. */
export const brokerIsInstalled = [`${PROGRAMS}/rabbitmq-server`, "/usr/lib/python3/dist-packages/pika"].every(
  existsSync,
);

export interface NodeOptions {
  /** How often the broker counts, and the finest sample that it keeps. Default 1,000 and 1; users have 5,000 and 5. */
  readonly statsMs?: number;
  readonly sampleSec?: number;
  readonly ratesMode?: "basic" | "detailed" | "none";
  /** The process that the node must not outlive. Default: this one. */
  readonly ownerPid?: number;
}

/** All on 127.0.0.1. The TLS ports ask for a certificate of the client. */
export interface NodePorts {
  readonly amqp: number;
  readonly management: number;
  readonly distribution: number;
  readonly epmd: number;
  readonly amqps: number;
  readonly managementTls: number;
}

export interface RunningNode {
  readonly folder: string;
  readonly ports: NodePorts;
  readonly certificates: Certificates;
}

/** Below the time-out of a hook, so that it fails with a word. */
const START_MS = 55_000;

/** Starts a node in a folder, which may be that of a node that was killed; resolves when AMQP and management answer. */
export async function startNode(folder: string, options: NodeOptions = {}, known?: NodePorts): Promise<RunningNode> {
  mkdirSync(folder, { recursive: true });
  const ports = known ?? (await freePorts());
  const certificates = makeCertificates(join(folder, "tls"));
  writeFileSync(join(folder, "enabled_plugins"), "[rabbitmq_management].");
  writeFileSync(join(folder, "rabbitmq.config"), configuration(ports, certificates, options));
  const child = spawn("/bin/sh", ["-c", GUARD], {
    detached: true,
    stdio: "ignore",
    env: { ...environment(folder, ports), OWNER: String(options.ownerPid ?? process.pid) },
  });
  child.unref();
  writeFileSync(join(folder, "group.json"), JSON.stringify(await waitFor(() => identityOf(child.pid ?? 0))));
  await Promise.all([answers(ports.amqp), answers(ports.amqps), managementAnswers(ports.management)]);
  return { folder, ports, certificates };
}

/** SIGKILL to everything of the node that was started last in this folder. */
export async function killNode(folder: string): Promise<void> {
  const record = join(folder, "group.json");
  if (!existsSync(record)) return;
  const identity = JSON.parse(readFileSync(record, "utf8")) as ProcessIdentity;
  if (livenessOf(identity) !== "alive") return;
  killIfThere(-identity.pid);
  await waitFor(() => livenessOf(identity) === "dead");
}

/** `rabbitmqctl` for this node. */
export async function rabbitmqctl({ folder, ports }: RunningNode, ...args: string[]): Promise<void> {
  const env = environment(folder, ports);
  const child = spawn(`${PROGRAMS}/rabbitmqctl`, args, { stdio: ["ignore", "ignore", "inherit"], env });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) throw new Error(`rabbitmqctl ${args.join(" ")}: exit code ${String(code)}`);
}

/** epmd first, or the node would start one that leaves the group. The loop ends the group with its owner. */
const GUARD = `
  epmd -address 127.0.0.1 -port $ERL_EPMD_PORT &
  until epmd -port $ERL_EPMD_PORT -names; do sleep 0.05; done
  ${PROGRAMS}/rabbitmq-server >"$HOME/server.out" 2>&1 &
  while kill -0 $OWNER; do sleep 1; done
  kill -KILL 0
`;

function environment(folder: string, ports: NodePorts): NodeJS.ProcessEnv {
  return {
    PATH: process.env["PATH"],
    // The cookie lives here.
    HOME: folder,
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    RABBITMQ_NODENAME: `test${ports.amqp}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: "127.0.0.1",
    RABBITMQ_NODE_PORT: String(ports.amqp),
    RABBITMQ_DIST_PORT: String(ports.distribution),
    ERL_EPMD_PORT: String(ports.epmd),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_PID_FILE: join(folder, "pid"),
    RABBITMQ_SCHEMA_DIR: join(folder, "schema"),
    RABBITMQ_GENERATED_CONFIG_DIR: join(folder, "config"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "enabled_plugins"),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq.config"),
    ERL_CRASH_DUMP: "/dev/null",
    // Schedulers that spin while they wait would take the tests' processor.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
      "+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none -start_epmd false -kernel inet_dist_use_interface {127,0,0,1}",
  };
}

/** Erlang terms. */
function configuration(ports: NodePorts, { ca, server }: Certificates, options: NodeOptions): string {
  const { statsMs = 1_000, sampleSec = 1, ratesMode = "basic" } = options;
  const policies = ["global", "basic", "detailed"].map((name) => `{${name},[{605,${sampleSec}}]}`).join(",");
  const sampling = `{sample_retention_policies,[${policies}]}`;
  const tls = `{cacertfile,"${ca}"},{certfile,"${server.cert}"},{keyfile,"${server.key}"},{verify,verify_peer},{fail_if_no_peer_cert,true}`;
  const management = [
    `{rates_mode,${ratesMode}}`,
    `{tcp_config,[{ip,"127.0.0.1"},{port,${ports.management}}]}`,
    `{ssl_config,[{ip,{127,0,0,1}},{port,${ports.managementTls}},${tls}]}`,
    sampling,
  ];
  return `[
    {rabbit,[{tcp_listeners,[{"127.0.0.1",${ports.amqp}}]},{ssl_listeners,[{"127.0.0.1",${ports.amqps}}]},{ssl_options,[${tls}]},
      {num_tcp_acceptors,2},{num_ssl_acceptors,1},{collect_statistics_interval,${statsMs}},
      {default_user,<<"guest">>},{default_pass,<<"${PASSWORD}">>},
      {disk_free_limit,50000000},{vm_memory_high_watermark,{absolute,1000000000}},{log,[{console,[{enabled,false}]}]}]},
    {rabbitmq_management,[${management.join(",")}]},
    {rabbitmq_management_agent,[${sampling}]}
  ].`;
}

/** Below the range that the system gives to clients, which would take a port between a kill and a restart. */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

async function freePorts(): Promise<NodePorts> {
  for (;;) {
    const first = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT));
    const ports = {
      amqp: first,
      management: first + 1,
      distribution: first + 2,
      epmd: first + 3,
      amqps: first + 4,
      managementTls: first + 5,
    };
    const free = await Promise.all(Object.values(ports).map(isFree));
    if (free.every(Boolean)) return ports;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

const answers = (port: number): Promise<void> =>
  until(
    () =>
      new Promise((resolve) => {
        const socket = connect(port, "127.0.0.1");
        socket.once("error", () => resolve(false));
        socket.once("connect", () => {
          socket.destroy();
          resolve(true);
        });
      }),
    START_MS,
  );

const managementAnswers = (port: number): Promise<void> =>
  until(async () => {
    const headers = { authorization: `Basic ${Buffer.from(CREDENTIALS).toString("base64")}` };
    return (await fetch(`http://127.0.0.1:${port}/api/overview`, { headers })).ok;
  }, START_MS);
