// Which way imports point (DESIGN 1.4), and lock 2 on the pure layer (DESIGN 1.5). Type imports count like any other.
const EFFIQUEUE = "^packages/effiqueue/src/";
const FLEXIQ = "^packages/flexiq/src/";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "decide-is-pure",
      comment: "Lock 2: nothing but decide, model and units can be reached from decide, over however many files.",
      severity: "error",
      from: { path: `${EFFIQUEUE}decide/` },
      to: { reachable: true, pathNot: `${EFFIQUEUE}(decide/|model/|units[.]ts$)` },
    },
    {
      name: "simulate-is-pure",
      comment:
        "A simulated night is the same on every machine: nothing but the policies and their data can be reached from it.",
      severity: "error",
      from: { path: `${EFFIQUEUE}simulate/` },
      to: { reachable: true, pathNot: `${EFFIQUEUE}(simulate/|decide/|model/|units[.]ts$)` },
    },
    {
      name: "lifecycle-is-pure",
      comment: "Lock 2: the states of a job need nothing at all.",
      severity: "error",
      from: { path: `${FLEXIQ}lifecycle[.]ts$` },
      to: { path: "." },
    },
    {
      name: "model-is-data",
      comment: "What passes between the layers knows none of them.",
      severity: "error",
      from: { path: `${EFFIQUEUE}model/` },
      to: { pathNot: `${EFFIQUEUE}(model/|units[.]ts$)` },
    },
    {
      name: "units-stand-alone",
      comment: "Everything imports the units; they import nothing.",
      severity: "error",
      from: { path: `${EFFIQUEUE}units[.]ts$` },
      to: { path: "." },
    },
    {
      name: "layers-meet-through-ports",
      comment: "A layer imports itself, model and units; the loop meets the others through model/ports.ts.",
      severity: "error",
      from: { path: `${EFFIQUEUE}(loop|observe|act|report|config)/` },
      to: { path: EFFIQUEUE, pathNot: `${EFFIQUEUE}($1/|model/|units[.]ts$)` },
    },
    {
      name: "app-below-cli",
      comment: "Commands are built from the app, never the other way round.",
      severity: "error",
      from: { path: `${EFFIQUEUE}app/` },
      to: { path: `${EFFIQUEUE}cli/` },
    },
    {
      name: "page-takes-words-and-shapes",
      comment:
        "The dashboard runs in a browser: of the daemon it takes what reports say and what the models look like.",
      severity: "error",
      from: { path: "^packages/effiqueue/dashboard/.*[.]ts$" },
      to: { path: "^packages/", pathNot: "^packages/effiqueue/(dashboard/|src/(report/|model/|units[.]ts$))" },
    },
    {
      name: "daemon-takes-nothing-of-the-page",
      comment: "It serves files that a build has left.",
      severity: "error",
      from: { pathNot: "^packages/effiqueue/dashboard/" },
      to: { path: "^packages/effiqueue/dashboard/" },
    },
    {
      name: "engine-knows-no-flexiq",
      comment: "flexiq depends on effiqueue, so effiqueue cannot depend on flexiq.",
      severity: "error",
      from: { path: "^packages/effiqueue/" },
      to: { path: "^(packages/flexiq/|flexiq(/|$))" },
    },
    {
      name: "engine-by-its-entry-points",
      comment: "flexiq uses what effiqueue exports, as any other user has to.",
      severity: "error",
      from: { path: "^packages/flexiq/" },
      to: { path: EFFIQUEUE },
    },
    {
      name: "store-at-the-bottom",
      comment: "The store serves the queue, the workers and the autoscaler, and knows none of them.",
      severity: "error",
      from: { path: `${FLEXIQ}store/` },
      to: { path: FLEXIQ, pathNot: `${FLEXIQ}(store/|(model|errors|lifecycle)[.]ts$)` },
    },
    {
      name: "nothing-imports-a-cli",
      comment: "Commands are the outermost layer.",
      severity: "error",
      from: { pathNot: "^packages/[^/]+/src/cli/" },
      to: { path: "^packages/[^/]+/src/cli/" },
    },
    {
      name: "no-cycles",
      comment: "Two files that need each other are one file, or lack a third.",
      severity: "error",
      from: { path: "^packages/" },
      to: { circular: true },
    },
  ],
  options: {
    doNotFollow: { path: "(^|/)(node_modules|dist)/" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "default"] },
  },
};
