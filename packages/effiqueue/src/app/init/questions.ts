/**
 * What has to be known to write a configuration, and whether an answer will do. DESIGN 7.10.
 */
import { KEYS } from "../../model/keys.ts";
import { type Answers, type Asked, loadText } from "./file.ts";

export interface Question {
  readonly key: Asked;
  readonly question: string;
  /** What an empty answer means. */
  readonly otherwise?: string;
}

export const QUESTIONS: readonly Question[] = [
  {
    key: "queue_connection",
    question: "Where is the broker? amqp://USER:PASSWORD@HOST:PORT/VHOST",
    otherwise: "amqp://guest:guest@localhost",
  },
  { key: "queue_name", question: "Which queue do the workers consume?" },
  { key: "command", question: "How is one worker started?" },
  { key: "max_workers", question: "How many workers at most?", otherwise: "10" },
  {
    key: "slo_drain_time",
    question: "Within what time is the queue to be empty, whatever waits in it?",
    otherwise: "2m",
  },
];

const SAMPLE: Answers = {
  queue_connection: "amqp://localhost",
  queue_name: "queue",
  command: "worker",
  max_workers: "1",
  slo_drain_time: "1m",
};

/** What is wrong with an answer; `undefined`: nothing. It is tried in a file of its own, so it is held to every rule there is. */
export function faultOf(key: Asked, answer: string): string | undefined {
  if (answer.trim() === "") return `expected ${KEYS[key].kind.expected}`;
  const loaded = loadText({ ...SAMPLE, [key]: answer });
  return loaded.problems.find((problem) => problem.key === key)?.text;
}
