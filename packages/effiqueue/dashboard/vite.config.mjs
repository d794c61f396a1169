// Builds the page into the package: a few files with hashed names, no script or style inside the document (DESIGN 6.7).
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  // Relative, for a proxy may serve it below a path of its own.
  base: "./",
  publicDir: false,
  logLevel: "warn",
  build: {
    outDir: here("../dist/dashboard"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    // A data URL would need a hole in the policy.
    assetsInlineLimit: 0,
    license: { fileName: "licenses.md" },
  },
});
