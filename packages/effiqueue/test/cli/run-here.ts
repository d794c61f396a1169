/** A command line in this process, for commands that start no other: what it prints, and its exit code. */
import { vi } from "vitest";
import { runCommandLine } from "../../src/cli/command-line.ts";

export async function runHere(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
  const { exitCode } = process;
  try {
    return { code: await runCommandLine(args), ...said };
  } finally {
    process.exitCode = exitCode;
    vi.restoreAllMocks();
  }
}
