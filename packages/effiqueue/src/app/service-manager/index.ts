/** The daemon as a service of systemd (`Type=notify`). DESIGN 7.17. */
import type { Clock, Reporter, TickListener } from "../../model/ports.ts";
import type { StatusReply } from "../../report/api-types.ts";
import { Messenger } from "./messenger.ts";
import { Notifier } from "./notifier.ts";
import type { NotifyTarget } from "./target.ts";

interface Parts {
  readonly reporter: Reporter;
  readonly clock: Clock;
  readonly status: () => StatusReply;
  readonly pollIntervalSec: number;
}

/** Hears what happens, of ticks after whoever `status` asks, and passes on what systemd wants to know. */
export interface ServiceNotifier extends Reporter, TickListener {
  /** Resolves when the last word has been sent. */
  close(): Promise<void>;
}

export function serviceNotifier({ socket, watchdogMs }: NotifyTarget, parts: Parts): ServiceNotifier {
  const { reporter, clock, status, pollIntervalSec } = parts;
  const leastSec = 3 * pollIntervalSec;
  if (watchdogMs !== null && watchdogMs < leastSec * 1000) {
    const text = `WatchdogSec is ${watchdogMs / 1000} s, and there is a tick every ${pollIntervalSec} s: systemd may kill it for no reason; in the unit: WatchdogSec=${Math.ceil(leastSec)}`;
    reporter.emit("app.config.warned", { text });
  }
  const messenger = new Messenger(socket, reporter);
  const notifier = new Notifier({ send: (message) => messenger.send(message), status, clock, watchdogMs });
  return {
    emit: (name, fields) => notifier.emit(name, fields),
    ticked: (record) => notifier.ticked(record),
    close: () => messenger.settled(),
  };
}
