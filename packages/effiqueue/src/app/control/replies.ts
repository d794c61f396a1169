/** What a daemon answers over its control socket. DESIGN 7.12. Types only. */
import type { Reloaded } from "../reloads.ts";

/** What it says of itself. */
export interface AboutReply {
  readonly pid: number;
  /** Path of its configuration. */
  readonly config: string;
  readonly programs: readonly string[];
}

/** Of every command. */
export interface CommandReplies {
  readonly pause: ToldReply;
  readonly scale: ToldReply;
  readonly drain: ToldReply;
  readonly resume: ToldReply;
  readonly restart: ToldReply;
  readonly reload: ReloadReply;
  readonly detach: DetachReply;
}

export interface ToldReply {
  readonly apiVersion: 1;
  /** For people, one sentence a program. */
  readonly said: readonly string[];
}

export type ReloadReply =
  | ({ readonly apiVersion: 1; readonly reloaded: true } & Reloaded)
  /** Each with its place. */
  | { readonly apiVersion: 1; readonly reloaded: false; readonly problems: readonly string[] };

export interface DetachReply {
  readonly apiVersion: 1;
  /** That run on. */
  readonly workers: number;
}
