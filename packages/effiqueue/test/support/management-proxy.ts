/** Stands before a management API, hears what it is asked, and may answer in its place. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ManagementProxy {
  readonly url: string;
  /** As they were asked for. */
  readonly paths: string[];
  /** From now on, whatever is asked for. */
  answerWith(status: number, body: object): void;
}

/** On 127.0.0.1, in front of the API at `to`; goes with the test. @param prefix of its own paths */
export async function managementProxy(to: string, prefix = ""): Promise<ManagementProxy> {
  const paths: string[] = [];
  let own: { readonly status: number; readonly body: object } | undefined;
  const server = createServer(({ url = "", headers }, response) => {
    paths.push(url);
    if (own !== undefined) {
      response.writeHead(own.status, { "content-type": "application/json" }).end(JSON.stringify(own.body));
      return;
    }
    const path = url.startsWith(prefix) ? url.slice(prefix.length) : url;
    request(`${to}${path}`, { headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    paths,
    answerWith: (status, body) => {
      own = { status, body };
    },
  };
}
