// A worker of a real queue that takes a random time for every message, as the simulated ones do: URL QUEUE MEAN_MS. It leaves a line in
// the file STARTS when it begins to serve: seconds since the process began.
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "amqplib";

const [url, queue, meanMs] = process.argv.slice(2);
const CV = 0.5;
const variance = Math.log(1 + CV ** 2);

const connection = await connect(url);
const channel = await connection.createChannel();
await channel.prefetch(1);
let atWork = Promise.resolve();
const { consumerTag } = await channel.consume(queue, (message) => {
  const normal = Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  const ms = Number(meanMs) * Math.exp(Math.sqrt(variance) * normal - variance / 2);
  atWork = sleep(ms).then(() => channel.ack(message));
});
appendFileSync(process.env.STARTS, `${process.uptime()}\n`);

process.once("SIGTERM", async () => {
  await channel.cancel(consumerTag);
  await atWork;
  await connection.close();
});
