// Twenty workers of one runtime, each with some things of its own. Says the pid of each, and its own.
import { spawn } from "node:child_process";

const [count] = process.argv.slice(2);
if (count === undefined) {
  const own = Array.from({ length: 100_000 }, (_, i) => ({ i, text: `job ${i}` }));
  let at = 0;
  setInterval(() => own[at++ % own.length].i++, 1000);
} else {
  for (let i = 0; i < Number(count); i += 1) {
    const { pid } = spawn(process.execPath, [process.argv[1]], { detached: true, stdio: "ignore" });
    console.log(pid);
  }
  console.log(process.pid);
  setInterval(() => undefined, 1000);
}
