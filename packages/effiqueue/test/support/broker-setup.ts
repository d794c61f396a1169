/** One broker for the whole run, started by the first test that needs it and ended here. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { killNode } from "./broker-node.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Folder of the broker of this run, and the process that it must not outlive. */
    readonly sharedBroker: { readonly folder: string; readonly ownerPid: number };
  }
}

export default function setup(project: TestProject): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "effiqueue-broker-"));
  project.provide("sharedBroker", { folder, ownerPid: process.pid });
  return async () => {
    await killNode(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}
