import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "@appserver/kernel";

const pollMs = 5;

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Fast shutdown, then immediate, then kill: bounded, and the data stays consistent in each case. */
export async function stopProcess(pid: number, clock: Clock): Promise<void> {
  for (const [signal, patienceMs] of [
    ["SIGINT", 10_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const deadline = clock.monotonic() + patienceMs; clock.monotonic() < deadline; await clock.sleep(pollMs)) {
      if (!isAlive(pid) || (await isZombie(pid))) return;
    }
  }
}

/** Ended, but not yet reaped: an orphan in a container whose first process does not wait for children stays so for ever. */
async function isZombie(pid: number): Promise<boolean> {
  if (process.platform !== "linux") return false;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return afterName(stat).startsWith("Z");
}

/** `<pid> (<name>) <state> <parent> …`: the name may hold spaces and parentheses. */
function afterName(stat: string): string {
  return stat.slice(stat.lastIndexOf(")") + 2);
}

/** Undefined when there is no such process. */
export async function describeProcess(pid: number): Promise<{ command: string; parent: number } | undefined> {
  try {
    if (process.platform === "linux") {
      const [command, stat] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, "utf8"),
        readFile(`/proc/${pid}/stat`, "utf8"),
      ]);
      return { command, parent: Number(afterName(stat).split(" ")[1]) };
    }
    const { stdout } = await promisify(execFile)("ps", ["-o", "ppid=,command=", "-p", String(pid)]);
    return { command: stdout, parent: Number.parseInt(stdout, 10) };
  } catch {
    return undefined;
  }
}
