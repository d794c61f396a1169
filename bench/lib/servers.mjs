// Private Redis and PostgreSQL on free loopback ports, in a folder of their own, stopped by pid at the end. Debian's
// packages are used as they come; what differs from their defaults is argued here.
import { execFileSync, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { join } from "node:path";
import { start, stop } from "./lane.mjs";
import { waitFor } from "./wait.mjs";

export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const accepts = (port) =>
  new Promise((resolve) => {
    const socket = createConnection({ host: "127.0.0.1", port });
    socket.once("connect", () => resolve(socket.destroy() && true));
    socket.once("error", () => resolve(false));
  });

const which = (name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim() || null;

/** Root may install what is missing; anybody else is told what would have been needed. */
function installed(find, debianPackage) {
  if (find()) return find();
  if (process.getuid() === 0 && which("apt-get")) {
    console.error(`installing ${debianPackage}`);
    const options = { stdio: "ignore", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
    spawnSync("apt-get", ["update"], options);
    spawnSync("apt-get", ["install", "-y", "--no-install-recommends", debianPackage], options);
  }
  return find();
}

/** Debian's Redis writes no append-only log. Snapshots are off as well: a fork in the middle of a round is only noise. */
export async function startRedis(dir) {
  const file = installed(() => which("redis-server"), "redis-server");
  if (!file) return { missing: "redis-server is not installed" };
  const port = await freePort();
  mkdirSync(join(dir, "redis"), { recursive: true });
  const settings = ["--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--daemonize", "no"];
  const child = start(file, [
    ...settings.map(String),
    "--dir",
    join(dir, "redis"),
    "--logfile",
    join(dir, "redis/log"),
  ]);
  await waitFor(() => accepts(port), "Redis");
  const version = /v=(\S+)/.exec(execFileSync(file, ["--version"], { encoding: "utf8" }))?.[1];
  return { version, port, stop: () => stop(child) };
}

function postgresBin() {
  const home = "/usr/lib/postgresql";
  const versions = existsSync(home) ? readdirSync(home).sort((a, b) => Number(b) - Number(a)) : [];
  const bin = versions.map((version) => join(home, version, "bin")).find((path) => existsSync(join(path, "initdb")));
  return bin ?? null;
}

/** Default settings but for the number of connections. It refuses to run as root, so root lends it Debian's own user. */
export async function startPostgres(dir) {
  const bin = installed(postgresBin, "postgresql");
  if (!bin) return { missing: "postgresql is not installed" };
  const data = join(dir, "postgres");
  mkdirSync(data, { recursive: true });
  const asUser = {};
  if (process.getuid() === 0) {
    for (const key of ["uid", "gid"]) {
      const flag = key === "uid" ? "-u" : "-g";
      asUser[key] = Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
    }
    chownSync(data, asUser.uid, asUser.gid);
  }
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"];
  execFileSync(join(bin, "initdb"), initdb, { stdio: "ignore", cwd: "/", ...asUser });
  const port = await freePort();
  const settings = [
    "-D",
    data,
    "-p",
    String(port),
    "-c",
    "listen_addresses=127.0.0.1",
    "-c",
    `unix_socket_directories=`,
  ];
  const child = start(join(bin, "postgres"), [...settings, "-c", "max_connections=300"], {
    stdio: ["ignore", "ignore", "ignore"],
    cwd: "/",
    ...asUser,
  });
  const isReady = () => spawnSync(join(bin, "pg_isready"), ["-h", "127.0.0.1", "-p", String(port)]).status === 0;
  await waitFor(isReady, "PostgreSQL", { everyMs: 100 });
  const version = /(\d+[\d.]*)/.exec(execFileSync(join(bin, "postgres"), ["-V"], { encoding: "utf8" }))?.[1];
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // SIGINT is its fast shutdown: SIGTERM would wait for clients.
  return { version, url, stop: () => stop(child, "SIGINT") };
}

const RABBIT = "/usr/lib/rabbitmq/bin/rabbitmq-server";

/** epmd first, or the node would start one that leaves the group; the loop ends the group with the benchmark. */
const RABBIT_GROUP = `
  epmd -address 127.0.0.1 -port $ERL_EPMD_PORT &
  until epmd -port $ERL_EPMD_PORT -names; do sleep 0.05; done
  ${RABBIT} &
  while kill -0 $OWNER; do sleep 1; done
  kill -KILL 0
`;

/** Default settings but for the addresses: statistics each five seconds, as users have them. */
export async function startRabbit(dir) {
  const file = installed(() => (existsSync(RABBIT) ? RABBIT : null), "rabbitmq-server");
  if (!file) return { missing: "rabbitmq-server is not installed" };
  const home = join(dir, "rabbitmq");
  mkdirSync(home, { recursive: true });
  const [port, management, distribution, epmd] = await Promise.all(Array.from({ length: 4 }, freePort));
  writeFileSync(join(home, "enabled_plugins"), "[rabbitmq_management].");
  writeFileSync(
    join(home, "rabbitmq.config"),
    `[{rabbit,[{tcp_listeners,[{"127.0.0.1",${port}}]}]},
      {rabbitmq_management,[{tcp_config,[{ip,"127.0.0.1"},{port,${management}}]}]}].`,
  );
  const env = {
    OWNER: String(process.pid),
    HOME: home,
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    RABBITMQ_NODENAME: `bench${port}@localhost`,
    RABBITMQ_DIST_PORT: String(distribution),
    ERL_EPMD_PORT: String(epmd),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_MNESIA_BASE: join(home, "mnesia"),
    RABBITMQ_LOG_BASE: join(home, "log"),
    RABBITMQ_PID_FILE: join(home, "pid"),
    RABBITMQ_SCHEMA_DIR: join(home, "schema"),
    RABBITMQ_GENERATED_CONFIG_DIR: join(home, "config"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(home, "enabled_plugins"),
    RABBITMQ_CONFIG_FILE: join(home, "rabbitmq.config"),
    ERL_CRASH_DUMP: "/dev/null",
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}",
  };
  const launch = () => start("/bin/sh", ["-c", RABBIT_GROUP], { detached: true, stdio: "ignore", env });
  let child = launch();
  const stop = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  // Also when the benchmark is interrupted, which kills the shell and thereby the guard.
  process.on("exit", stop);
  const authorization = `Basic ${Buffer.from("guest:guest").toString("base64")}`;
  const api = async (method, path, body) => {
    const headers = { authorization, "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${management}/api${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status}`);
    return method === "GET" ? answer.json() : undefined;
  };
  const overview = () => api("GET", "/overview").catch(() => null);
  const ready = () => waitFor(overview, "RabbitMQ", { timeoutMs: 120_000, everyMs: 200 });
  const { rabbitmq_version: version } = await ready();
  await waitFor(() => accepts(port), "RabbitMQ");
  return {
    version,
    url: `amqp://guest:guest@127.0.0.1:${port}`,
    managementUrl: `http://127.0.0.1:${management}`,
    api,
    stop,
    /** SIGKILL, and again with what it has on disk. */
    restart: async () => {
      const exited = once(child, "exit");
      stop();
      await exited;
      child = launch();
      await ready();
      await waitFor(() => accepts(port), "RabbitMQ");
    },
  };
}
