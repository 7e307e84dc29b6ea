import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "@appserver/kernel";
import { processNumbers, startTimeOf } from "@appserver/kernel/files";

const pollMs = 10;

const stops = [
  ["SIGINT", 10_000],
  ["SIGQUIT", 5_000],
  ["SIGKILL", 5_000],
] as const;

/**
 * Stops a server: fast shutdown, then immediate, then kill. The time is bounded, and the data stays consistent in each case.
 * `first`: where it begins.
 */
export async function stopProcess(pid: number, clock: Clock, first: (typeof stops)[number][0] = "SIGINT"): Promise<void> {
  const begin = stops.findIndex(([signal]) => signal === first);
  for (const [signal, timeoutMs] of stops.slice(begin)) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const deadline = clock.monotonic() + timeoutMs; clock.monotonic() < deadline; await clock.sleep(pollMs)) {
      if (startTimeOf(pid) === undefined) return;
    }
  }
}

/** Splits `<pid> (<name>) <state> <parent> …` after the name, which may contain spaces and parentheses. */
function afterName(stat: string): string {
  return stat.slice(stat.lastIndexOf(")") + 2);
}

/** Returns undefined if the process does not exist. */
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

/** Returns the process whose command line contains the text. */
export async function findByCommand(text: string): Promise<number | undefined> {
  if (process.platform === "linux") {
    for (const pid of processNumbers()) {
      const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      if (command.replaceAll("\0", " ").includes(text)) return pid;
    }
    return undefined;
  }
  const { stdout } = await promisify(execFile)("ps", ["-axo", "pid=,command="]);
  const line = stdout.split("\n").find((each) => each.includes(text));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
