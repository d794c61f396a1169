/** Events out: what must not be missed is posted to an address of the operator's. DESIGN 6.9. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock, Reporter } from "../../model/ports.ts";
import { isoTime } from "../measured.ts";
import { Courier } from "./courier.ts";
import { Notices } from "./notices.ts";
import { post } from "./post.ts";

export interface WebhookOptions {
  /** http or https. All of it but the host may be a secret. */
  readonly url: string;
  /** `NAME: VALUE`, sent along. */
  readonly header?: string | undefined;
  readonly clock: Clock;
  /** Hears what becomes of the messages. */
  readonly reporter: Reporter;
  /** For each answer. Default: 10 s. */
  readonly timeoutMs?: number;
  /** In [0, 1). Default `Math.random`. */
  readonly chance?: () => number;
}

export interface Webhook extends Reporter {
  /** What waits has one more chance, two seconds for all of it. */
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const GRACE_MS = 2_000;

export function openWebhook(options: WebhookOptions): Webhook {
  const { clock, reporter, timeoutMs = TIMEOUT_MS, chance = Math.random } = options;
  const url = new URL(options.url);
  const target = url.host;
  const headers = headersOf(options.header);
  const notices = new Notices();
  /** Why the last try failed; `null`: it did not. */
  let trouble: string | null = null;
  const courier = new Courier({
    clock,
    chance,
    post: (body, signal) => post(body, { url, headers, timeoutMs, signal }),
    hears: {
      delivered: ({ event }, attempts) => {
        if (trouble !== null) reporter.emit("report.webhook.recovered", { target });
        trouble = null;
        reporter.emit("report.webhook.delivered", { target, about: event, attempts });
      },
      dropped: ({ event }, why) => reporter.emit("report.webhook.dropped", { target, about: event, why }),
      failed: (why, waiting) => {
        if (why !== trouble) reporter.emit("report.webhook.failing", { target, error: why, waiting });
        trouble = why;
      },
    },
  });
  const host = hostname();
  return {
    emit(name, fields) {
      const notice = notices.noticeOf(name, fields);
      if (notice === null) return;
      const { event, level, program, message } = notice;
      const stamp = isoTime(clock.wallMs());
      // `text` is what chat systems show; `id` is the same at each try.
      const text = `${program} on ${host}: ${message}`;
      const body = JSON.stringify({
        id: randomUUID(),
        at: stamp,
        event,
        level,
        program,
        host,
        text,
        fields: notice.fields,
      });
      courier.send({ event, body });
    },
    close: () => courier.close(GRACE_MS),
  };
}

function headersOf(header: string | undefined): Record<string, string> {
  const [, name, value] = /^([^:]+):\s*(.*)$/.exec(header ?? "") ?? [];
  return name === undefined || value === undefined ? {} : { [name]: value };
}
