// What the tests need of the system: a broker, the checker of metrics, a browser, a terminal, the commands of systemd, and an AMQP client in another language,
// and what refuses calls in place of the kernel. As root on Debian they are installed when they are missing; elsewhere it is said what will be skipped.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const succeeds = (command, ...args) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

const NEEDED = [
  { name: "rabbitmq-server", isThere: () => existsSync("/usr/lib/rabbitmq/bin/rabbitmq-server") },
  { name: "prometheus", isThere: () => succeeds("promtool", "--version") },
  { name: "chromium", isThere: () => existsSync("/usr/bin/chromium") },
  { name: "systemd", isThere: () => succeeds("systemd-notify", "--version") },
  { name: "tmux", isThere: () => succeeds("tmux", "-V") },
  { name: "strace", isThere: () => succeeds("strace", "-V") },
  { name: "python3-pika", isThere: () => succeeds("/usr/bin/python3", "-c", "import pika") },
];

const missing = () => NEEDED.filter(({ isThere }) => !isThere()).map(({ name }) => name);

/** Debian's policy for services in containers forbids that the broker is started by its installation. */
const QUIETLY = { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };

export function systemPackages() {
  const names = missing();
  if (names.length === 0) return;
  if (process.getuid?.() === 0 && succeeds("apt-get", "--version")) {
    console.log(`Installing what the tests need of the system: ${names.join(", ")}.`);
    spawnSync("apt-get", ["-qq", "update"], QUIETLY);
    spawnSync("apt-get", ["-qq", "install", "-y", "--no-install-recommends", ...names], QUIETLY);
  }
  const left = missing();
  if (left.length > 0)
    console.log(`SKIPPED: tests that need ${left.join(", ")} (packages of Debian), not installed here.`);
}
