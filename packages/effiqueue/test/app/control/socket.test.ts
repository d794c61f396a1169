/** The socket in a state folder, as a file and as something that listens. */
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { listenIn, type OpenSocket, SOCKET_NAME, shortPath } from "../../../src/app/control/socket.ts";
import { tempDir } from "../../support/temp-dir.ts";

async function listening(folder: string, says: string): Promise<OpenSocket> {
  const socket = await listenIn(
    folder,
    createServer((_, response) => response.end(says)),
  );
  onTestFinished(() => socket.close());
  return socket;
}

function said(folder: string): Promise<string> {
  const short = shortPath(folder, SOCKET_NAME);
  return new Promise<string>((resolve, reject) => {
    request({ socketPath: short.path, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  }).finally(() => short.free());
}

/** Longer than any address of a socket. */
function deepFolder(): string {
  const folder = join(tempDir(), "x".repeat(120));
  mkdirSync(folder);
  return folder;
}

describe("DESIGN 7.12: a socket in a state folder", () => {
  it("is for its owner alone, under one name, and gone when it is closed", async () => {
    const folder = tempDir();
    chmodSync(folder, 0o755);
    const socket = await listening(folder, "hello");
    expect(readdirSync(folder)).toEqual([SOCKET_NAME]);
    expect(statSync(join(folder, SOCKET_NAME)).mode & 0o777).toBe(0o600);
    expect(await said(folder)).toBe("hello");
    await socket.close();
    await socket.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it("is reached in a folder whose path is too long for sockets", async () => {
    const folder = deepFolder();
    const socket = await listening(folder, "deep");
    expect(await said(folder)).toBe("deep");
    expect(readdirSync(folder)).toEqual([SOCKET_NAME]);
    await socket.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([tempDir, deepFolder])(
    "leaves the socket of a successor alone, and its own draft to nobody",
    async (make) => {
      const folder = make();
      const first = await listening(folder, "first");
      writeFileSync(join(folder, `${SOCKET_NAME}.new`), "of one that was killed between the two steps");
      await listening(folder, "second");
      expect(await said(folder)).toBe("second");
      await first.close();
      expect(await said(folder)).toBe("second");
      expect(readdirSync(folder)).toEqual([SOCKET_NAME]);
    },
  );

  it("fails where there is no folder, and leaves nothing open", async () => {
    const folder = join(tempDir(), "none");
    await expect(listenIn(folder, createServer())).rejects.toThrow(/ENOENT|EACCES/);
    expect(existsSync(folder)).toBe(false);
  });
});
