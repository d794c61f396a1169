/**
 * The lists of queues that several programs ask: one for all that read the same vhost in the same way. DESIGN 7.19.
 */
import type { Clock } from "../../model/ports.ts";
import type { ManagementAddress } from "./address.ts";
import { ManagementClient } from "./http.ts";
import { QueueList } from "./queue-list.ts";
import type { TlsFiles } from "./tls-files.ts";
import type { Asked } from "./troubles.ts";

export class QueueLists {
  readonly #lists = new Map<string, QueueList>();

  /** The one of all who ask this address as the same user, with the same certificates, for queues of the same vhost. */
  of(address: ManagementAddress, asked: Asked, { tlsCa, tlsCert, tlsKey }: TlsFiles, clock: Clock): QueueList {
    const files = { tlsCa, tlsCert, tlsKey };
    const key = JSON.stringify([address, asked.vhost, files]);
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list = new QueueList(new ManagementClient(address, asked, files, clock), clock, () => {
      // Somebody who had left may come again, and leave again, when there is another.
      if (this.#lists.get(key) === list) this.#lists.delete(key);
    });
    this.#lists.set(key, list);
    return list;
  }
}
