/** What this user may do with a path. DESIGN 7.10. */
import { accessSync, constants, lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../model/errors.ts";

const MODES = { read: constants.R_OK, write: constants.W_OK, execute: constants.X_OK } as const;

export function may(path: string, ...ways: readonly (keyof typeof MODES)[]): boolean {
  try {
    accessSync(
      path,
      ways.reduce((mode, way) => mode | MODES[way], 0),
    );
    return true;
  } catch {
    return false;
  }
}

/** `undefined`: there is nothing, or it cannot be seen. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** No system call takes such a path, whether something is there or not. */
export function isTooLong(path: string): boolean {
  try {
    lstatSync(path);
    return false;
  } catch (error) {
    return codeOf(error) === "ENAMETOOLONG";
  }
}

/** The nearest thing on the way to the root that exists: a folder made below it would be made there. */
export function nearestExisting(path: string): string {
  const parent = dirname(path);
  return parent === path || statOf(path) !== undefined ? path : nearestExisting(parent);
}

export const ownUser = (): string => {
  const uid = process.geteuid?.();
  return uid === undefined ? "this user" : uid === 0 ? "root" : `user ${uid}`;
};
