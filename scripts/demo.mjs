// `npm run demo`: installs, builds and runs examples/demo. In this process, so that ctrl-C reaches it and nothing else.
import { prepare } from "./prepare.mjs";

prepare();
await import("../examples/dist/demo/main.js");
