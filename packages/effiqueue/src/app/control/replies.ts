/** What commands are answered with. DESIGN 7.12. Types only. */
import type { Reloaded } from "../reloads.ts";

export type ReloadReply =
  | ({ readonly apiVersion: 1; readonly reloaded: true } & Reloaded)
  /** Each with its place. */
  | { readonly apiVersion: 1; readonly reloaded: false; readonly problems: readonly string[] };

export interface DetachReply {
  readonly apiVersion: 1;
  /** That run on. */
  readonly workers: number;
}
