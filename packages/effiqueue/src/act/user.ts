/**
 * The user that workers run as, found out once and before anything is started. DESIGN 4.1.
 */
import { UserError } from "./errors.ts";
import type { WorkerUser } from "./options.ts";
import { findUser } from "./platform/users.ts";

/**
 * @param name or number of the user
 * @returns `undefined` when that is who we are: nothing has to be changed
 * @throws UserError when there is no such user, or when only root could become it
 */
export function workerUser(name: string): WorkerUser | undefined {
  const ours = process.geteuid?.();
  if (ours === undefined) throw new UserError(name, "this system cannot start a process as another user; leave it out");
  const user = findUser(name);
  if (user === undefined) throw new UserError(name, "this system knows no such user; correct the name, or make it");
  if (user.uid === ours) return undefined;
  if (ours !== 0) {
    throw new UserError(
      name,
      `only root can start workers as others, and this is user ${ours}; run as root, or as ${name}`,
    );
  }
  return user;
}
