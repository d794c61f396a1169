/**
 * The commands by name. Help needs no more than this table; the module of a command is imported when it is asked for, which
 * keeps every single command quick. DESIGN 7.9.
 */
import type { Command } from "commander";

export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  /** The command with its arguments, options and action. */
  readonly load: () => Promise<Command>;
}

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "init",
    summary: "write a first configuration file",
    load: async () => (await import("./init.ts")).initCommand(),
  },
  {
    name: "validate-config",
    summary: "say everything that is wrong with a configuration file",
    load: async () => (await import("./validate-config.ts")).validateConfigCommand(),
  },
  {
    name: "doctor",
    summary: "check what could be wrong on this machine before it matters",
    load: async () => (await import("./doctor.ts")).doctorCommand(),
  },
  {
    name: "run",
    summary: "run the workers of a configuration file until stopped",
    load: async () => (await import("./run.ts")).runCommand(),
  },
  {
    name: "reload",
    summary: "let a running daemon become what its configuration says now",
    load: async () => (await import("./reload.ts")).reloadCommand(),
  },
  {
    name: "detach",
    summary: "end a running daemon and leave its workers at work for the next one",
    load: async () => (await import("./detach.ts")).detachCommand(),
  },
  {
    name: "status",
    summary: "say how the programs of a running daemon are",
    load: async () => (await import("./status.ts")).statusCommand(),
  },
  {
    name: "pause",
    summary: "keep a running daemon from shrinking its pools (in), from growing them (out), or from both",
    load: async () => (await import("./tell.ts")).pauseCommand(),
  },
  {
    name: "scale",
    summary: "set a program of a running daemon to a number of workers",
    load: async () => (await import("./tell.ts")).scaleCommand(),
  },
  {
    name: "drain",
    summary: "stop all workers of a program, and start none until it is resumed",
    load: async () => (await import("./tell.ts")).drainCommand(),
  },
  {
    name: "resume",
    summary: "take back what a program was told by pause, scale, drain or restart",
    load: async () => (await import("./tell.ts")).resumeCommand(),
  },
  {
    name: "restart",
    summary: "replace the workers of a program, one after the other",
    load: async () => (await import("./tell.ts")).restartCommand(),
  },
  {
    name: "top",
    summary: "watch a running daemon",
    load: async () => (await import("./top.ts")).topCommand(),
  },
  {
    name: "explain",
    summary: "say why a running daemon decided what it did",
    load: async () => (await import("./explain.ts")).explainCommand(),
  },
  {
    name: "record",
    summary: "write down what a running daemon sees, to be simulated later",
    load: async () => (await import("./record.ts")).recordCommand(),
  },
  {
    name: "simulate",
    summary: "say what a configuration would make of a load, and what another one would",
    load: async () => (await import("./simulate.ts")).simulateCommand(),
  },
];
