/** Why the status endpoint cannot be opened, with the address and the remedy; what the system said is the cause. DESIGN 6.5. */
import { codeOf } from "../../model/errors.ts";

/** The daemon does not start without the endpoint that it was told to open: nobody would notice that it is blind. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  readonly code = "listen";
  readonly address: string;
  /** What is wrong with it, and the remedy: for callers that call the key otherwise. */
  readonly why: string;

  constructor(address: string, why: string, options?: ErrorOptions) {
    super(`metrics_addr ${JSON.stringify(address)}: ${why}`, options);
    this.address = address;
    this.why = why;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another process listens there: choose another port, or port 0 for any free one, or end that process",
  EACCES: "this user may not open that port: choose one above 1023, or give the daemon CAP_NET_BIND_SERVICE",
  EADDRNOTAVAIL:
    "this machine has no such address: take one of its own, such as 127.0.0.1, or none for every interface",
  EAFNOSUPPORT: "this machine does not speak that kind of address: take an IPv4 one, such as 127.0.0.1",
  ENOTFOUND: "there is no host of that name: give an address, such as 127.0.0.1",
  EAI_AGAIN: "the name of the host cannot be resolved now: give an address, such as 127.0.0.1",
};

export function listenError(address: string, cause: Error): ListenError {
  return new ListenError(address, REASONS[codeOf(cause)] ?? `it cannot be listened on (${cause.message})`, { cause });
}
