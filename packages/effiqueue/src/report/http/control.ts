/**
 * What the control socket answers beside all that the endpoint does: who it is, and commands, which change something. A command
 * is a POST with a JSON object. DESIGN 7.12.
 */
import { codeOf } from "../../model/errors.ts";
import { isRecord, type UnknownRecord } from "../../model/record.ts";
import { BodyError } from "./body.ts";
import { type Answer, type Asked, failed, json, type Reply } from "./routes.ts";

/** Whoever sends a POST here is the owner of the socket. */
const CONTROL = "/control";

/** By name: takes the arguments as they came, and answers with what `--json` prints. May throw: `CommandError`, or a fault. */
export type Commands = Readonly<Record<string, (args: CommandArguments) => object | Promise<object>>>;

export type CommandArguments = UnknownRecord;

/** A command cannot be carried out as it was given; the message names thing, value and remedy. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code = "failed";
}

export interface Control {
  /** Who answers. */
  readonly about: () => object;
  readonly commands: Commands;
}

/** @param others whatever is no command */
export function openControlRoutes(
  control: Control,
  others: (asked: Asked) => Promise<Answer>,
): (asked: Asked) => Promise<Answer> {
  return async (asked) => {
    const { method, target } = asked;
    if (target === CONTROL && method === "GET") return json(200, control.about());
    return target.startsWith(`${CONTROL}/`) ? obeyed(control.commands, asked) : others(asked);
  };
}

async function obeyed(commands: Commands, { method, target, body }: Asked): Promise<Reply> {
  const name = target.slice(CONTROL.length + 1);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    return failed(404, `this daemon has no command ${JSON.stringify(name)}; is it of another version?`);
  }
  if (method !== "POST") return { ...failed(405, "a command is a POST"), headers: { Allow: "POST" } };
  try {
    return json(200, await command(argumentsOf(await body())));
  } catch (error) {
    if (error instanceof BodyError) return { ...failed(413, error.message), headers: { Connection: "close" } };
    return failed(codeOf(error) === "failed" ? 409 : 500, error instanceof Error ? error.message : String(error));
  }
}

function argumentsOf(body: string): CommandArguments {
  if (body === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new CommandError("the arguments of a command are a JSON object");
  }
  if (isRecord(value)) return value;
  throw new CommandError("the arguments of a command are a JSON object");
}
