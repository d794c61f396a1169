/**
 * What is allowed and yet probably not what was meant. DESIGN 5.1.
 */
import { KEY_NAMES, KEYS, type Key, type KeyName, type Options } from "../model/keys.ts";
import type { Entries } from "./raw.ts";
import { wrapperAdvice } from "./wrappers.ts";

const EXPANDED = KEY_NAMES.filter((name) => "secret" in KEYS[name]).join(", ");

/** RabbitMQ computes queue statistics anew this often, unless it is told otherwise. */
const BROKER_STATISTICS_SEC = 5;

/**
 * @param entries everything that holds for the program
 * @param said what was said about this very program
 */
export function adviceFor(options: Options, entries: Entries, said: Entries): [KeyName, string][] {
  const advice: [KeyName, string][] = [];
  if (options.pollInterval < BROKER_STATISTICS_SEC) {
    const text = `RabbitMQ refreshes its statistics every ${BROKER_STATISTICS_SEC}s; read more often they stand still, then jump, and rates inferred from them are far off`;
    advice.push(["poll_interval", text]);
  }
  const processName = entries.get("process_name");
  if (processName !== undefined && options.maxWorkers > 1 && !options.processName.includes("%(process_num)")) {
    advice.push(["process_name", "holds no %(process_num)02d, so every worker gets the same name"]);
  }
  const wrapper = wrapperAdvice(options.command);
  if (wrapper !== undefined) advice.push(["command", wrapper]);
  for (const name of said.keys()) {
    const { modes }: Key = KEYS[name];
    if (modes !== undefined && !modes.includes(options.mode)) {
      advice.push([name, `not read in mode ${JSON.stringify(options.mode)}`]);
    }
  }
  for (const [name, { value }] of entries) {
    const { secret }: Key = KEYS[name];
    const isExpandedElsewhere = secret === true || (name === "command" && options.shell);
    if (typeof value === "string" && /\$\{\w+\}/.test(value) && !isExpandedElsewhere) {
      advice.push([name, `holds a \${...} that means itself; it is expanded in ${EXPANDED} only`]);
    }
  }
  return advice;
}
