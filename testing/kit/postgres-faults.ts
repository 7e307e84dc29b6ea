import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A PostgreSQL server's main process and one process for each connection. Each may have ended by the next call. */
function serverProcesses(postmaster: number): readonly number[] {
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => parentOf(name) === postmaster)
    .map(Number);
  return [postmaster, ...children];
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may contain any character. State and parent follow it.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended.
  }
}

/** Sends SIGKILL to the main process. The others detect it and end. */
export function killPostgres(postmaster: number): void {
  signal(postmaster, "SIGKILL");
}

/** Freezes every process of the server for this long: connections stay open, but there are no responses. */
export async function freezePostgres(postmaster: number, forMs: number): Promise<void> {
  const frozen = serverProcesses(postmaster);
  try {
    for (const pid of frozen) signal(pid, "SIGSTOP");
    await sleep(forMs);
  } finally {
    for (const pid of frozen) signal(pid, "SIGCONT");
  }
}
