/** SIGKILL to a process, or to a group by its negative; one that has gone meanwhile is as good as killed. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
