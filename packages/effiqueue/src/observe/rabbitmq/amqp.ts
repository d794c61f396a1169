/**
 * A queue by AMQP: a passive declare says how many messages are ready and how many consumers are subscribed, live, and needs no
 * plugin. What is handed out it does not say. DESIGN 7.3.
 */
import type { Channel, ChannelModel } from "amqplib";
import type { Clock } from "../../model/ports.ts";
import type { BrokerAddress } from "./address.ts";
import { loadAmqplib } from "./amqplib.ts";
import { type TlsFiles, tlsMaterial } from "./tls-files.ts";
import { type AskedQueue, amqpTrouble, timedOut } from "./troubles.ts";

export interface AmqpCounts {
  readonly ready: number;
  readonly consumers: number;
}

/** One connection; it is dropped as soon as anything is wrong with it. */
interface Link {
  readonly socket: AbortController;
  readonly connection: Promise<ChannelModel>;
  channel: Channel | null;
}

/** What is answered here has a few hundred bytes; by itself amqplib collects 64 MB of a frame. An option that its types do not know. */
const LIMITS = { maxFrameSize: 131_072 };

/** A broker that vanished without a word is noticed after two of these, even where nobody reads. */
const HEARTBEAT_SEC = 10;

export class AmqpReader {
  readonly asked: AskedQueue;
  readonly #address: BrokerAddress;
  readonly #tls: TlsFiles;
  readonly #clock: Clock;
  #link: Link | null = null;

  constructor(address: BrokerAddress, asked: AskedQueue, tls: TlsFiles, clock: Clock) {
    this.#address = address;
    this.asked = asked;
    this.#tls = tls;
    this.#clock = clock;
  }

  /** Connects if need be. @throws RabbitError */
  async read(timeoutMs: number): Promise<AmqpCounts> {
    const link = (this.#link ??= this.#connect());
    let cancel = (): void => undefined;
    const expired = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(timeoutMs, () => reject(timedOut(this.asked)));
    });
    try {
      return await Promise.race([this.#count(link), expired]);
    } catch (error) {
      const trouble = amqpTrouble(this.asked, error);
      // A queue that is missing closes the channel, and nothing else.
      if (trouble.code === "missing-queue") link.channel = null;
      else this.#drop(link);
      throw trouble;
    } finally {
      cancel();
    }
  }

  /** Says goodbye to the broker, for a moment at most. */
  async close(): Promise<void> {
    const link = this.#link;
    if (link === null) return;
    this.#link = null;
    let cancel = (): void => undefined;
    // Nothing else may be left that keeps the process alive, which would then end in the middle of its end.
    const patience = new Promise<void>((resolve) => {
      cancel = this.#clock.after(GOODBYE_MS, resolve);
    });
    const goodbye = link.connection.then((connection) => connection.close());
    await Promise.race([goodbye.catch(() => undefined), patience]);
    cancel();
    link.socket.abort();
  }

  #connect(): Link {
    const socket = new AbortController();
    const link: Link = { socket, connection: this.#open(socket.signal), channel: null };
    link.connection.then(
      (connection) => {
        // Without a listener an error ends the process; whoever reads next hears of it.
        connection.on("error", () => this.#drop(link));
        connection.on("close", () => this.#drop(link));
      },
      () => this.#drop(link),
    );
    return link;
  }

  async #open(signal: AbortSignal): Promise<ChannelModel> {
    const { tls, host, port, vhost, username, password } = this.#address;
    const { connect } = await loadAmqplib();
    // amqplib decodes what it is told, so a percent sign of the name itself has to be encoded.
    const name = encodeURIComponent(vhost);
    const to = { protocol: tls ? "amqps" : "amqp", hostname: host, port, vhost: name, username, password };
    // Node's sockets know more options than amqplib's types: the signal destroys the socket.
    const socket = { ...(tls ? tlsMaterial(this.#tls) : {}), signal, noDelay: true };
    return connect({ ...to, heartbeat: HEARTBEAT_SEC, ...LIMITS }, socket);
  }

  async #count(link: Link): Promise<AmqpCounts> {
    link.channel ??= await channelOn(await link.connection);
    const { messageCount, consumerCount } = await link.channel.checkQueue(this.asked.queue);
    return { ready: messageCount, consumers: consumerCount };
  }

  #drop(link: Link): void {
    if (this.#link === link) this.#link = null;
    link.socket.abort();
  }
}

const GOODBYE_MS = 500;

async function channelOn(connection: ChannelModel): Promise<Channel> {
  const channel = await connection.createChannel();
  // The call that failed says it too.
  channel.on("error", () => undefined);
  return channel;
}
