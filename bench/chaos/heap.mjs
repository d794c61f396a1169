// Preloaded with --expose-gc: at SIGUSR2 what is in use after a collection is written to HEAP_FILE.
import { renameSync, writeFileSync } from "node:fs";

const { HEAP_FILE: file } = process.env;
let times = 0;
process.on("SIGUSR2", () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  times += 1;
  writeFileSync(`${file}.new`, JSON.stringify({ times, bytes: heapUsed + external }));
  renameSync(`${file}.new`, file);
});
