// A worker of a RabbitMQ queue: URL QUEUE FOLDER. It writes down what it has finished before it says so to the broker.
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "amqplib";

const [url, queue, folder] = process.argv.slice(2);
// Whatever is wrong with the broker: another worker comes, and the message comes back.
process.on("uncaughtException", () => process.exit(1));
const connection = await connect(url);
const end = () => process.exit(1);
connection.on("error", end).on("close", end);
const channel = await connection.createChannel();
channel.on("error", end);
await channel.prefetch(1);
let atWork = Promise.resolve();
let isStopping = false;
const { consumerTag } = await channel.consume(queue, (message) => {
  // A queue that was deleted.
  if (message === null) end();
  if (isStopping) return;
  const id = message.content.toString();
  atWork = sleep(20 + (Number(id) % 7) * 20).then(() => {
    appendFileSync(join(folder, String(process.pid)), `${id}\n`);
    channel.ack(message);
  });
});
process.once("SIGTERM", async () => {
  isStopping = true;
  await channel.cancel(consumerTag);
  await atWork;
  connection.off("close", end);
  await connection.close();
});
