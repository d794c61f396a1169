import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** What takes minutes, and as many more as the machine has other work: by hand, and not in CI. */
export default defineConfig({ ...base, test: { ...base.test, include: ["packages/*/test/**/*.long.ts"] } });
